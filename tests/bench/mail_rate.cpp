// Mail at a fixed rate through the milter, over a unix socket: what a message waits for its verdict
// while something else happens. A message that is late because the one before it was slow counts
// from the moment when it should have been sent.
//
//   mail_rate SOCKET RATE SECONDS CONNECTIONS FILE...     RATE: messages a second
//
// One line: {"sent", "lost", "rate", "p50_us", "p99_us", "p999_us", "most_us"}.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "config/base/number_text.h"
#include "tests/milter/daemon/milter_client.h"

namespace {

using Moment = std::chrono::steady_clock::time_point;
using shingled::milter::daemon::MilterClient;

constexpr std::uint64_t kMessagesAConnection = 50;

struct Mail {
  std::vector<std::pair<std::string, std::string>> header;
  std::string body;
};

/// The lines of a header, folded ones together; LF or CRLF.
Mail read_mail(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Mail out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line(text.data() + at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    const bool folded = line.front() == ' ' || line.front() == '\t';
    if (folded && !out.header.empty()) {
      out.header.back().second.append("\n").append(line);
    } else if (colon != std::string_view::npos) {
      const std::string_view value = line.substr(colon + 1);
      out.header.emplace_back(line.substr(0, colon), value.substr(value.starts_with(' ') ? 1 : 0));
    }
  }
  out.body = text.substr(std::min(at, text.size()));
  return out;
}

struct Plan {
  std::string socket;
  double rate = 0;
  std::uint64_t messages = 0;
  std::vector<Mail> mails;
  Moment begin;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> lost{0};

  [[nodiscard]] Moment due(std::uint64_t number) const {
    const std::chrono::duration<double> after(static_cast<double>(number) / rate);
    return begin + std::chrono::duration_cast<Moment::duration>(after);
  }
};

/// Microseconds from when each message was due to its verdict.
std::vector<double> send_some(Plan& plan) {
  std::vector<double> out;
  std::unique_ptr<MilterClient> client;
  std::uint64_t sent = 0;
  for (std::uint64_t number; (number = plan.next++) < plan.messages; ++sent) {
    if (sent % kMessagesAConnection == 0) client = std::make_unique<MilterClient>(plan.socket);
    const Mail& mail = plan.mails[number % plan.mails.size()];
    std::this_thread::sleep_until(plan.due(number));
    if (client->send_mail("R" + std::to_string(number), mail.header, mail.body).empty()) {
      ++plan.lost;
      client = std::make_unique<MilterClient>(plan.socket);
      continue;
    }
    const std::chrono::duration<double, std::micro> waited =
        std::chrono::steady_clock::now() - plan.due(number);
    out.push_back(waited.count());
  }
  return out;
}

double share(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  const auto at = static_cast<std::size_t>(part * static_cast<double>(sorted.size()));
  return sorted[std::min(at, sorted.size() - 1)];
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) {
    fmt::print(stderr, "usage: mail_rate SOCKET RATE SECONDS CONNECTIONS FILE...\n");
    return 64;
  }
  const auto number = [&](std::size_t i) {
    const auto value = shingled::parse_whole<std::uint64_t>(words[i]);
    if (!value || *value == 0) {
      fmt::print(stderr, "mail_rate: {}: a number above 0\n", words[i]);
      std::exit(64);
    }
    return *value;
  };
  Plan plan;
  plan.socket = words[0];
  plan.rate = static_cast<double>(number(1));
  plan.messages = number(1) * number(2);
  for (std::size_t i = 4; i < words.size(); ++i) plan.mails.push_back(read_mail(words[i]));
  plan.begin = std::chrono::steady_clock::now();
  std::vector<std::vector<double>> waits(number(3));
  std::vector<std::thread> threads;
  for (std::vector<double>& one : waits) threads.emplace_back([&] { one = send_some(plan); });
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - plan.begin;
  std::vector<double> all;
  for (const std::vector<double>& one : waits) all.insert(all.end(), one.begin(), one.end());
  std::ranges::sort(all);
  fmt::print(
      R"({{"sent":{},"lost":{},"rate":{:.0f},"p50_us":{:.0f},"p99_us":{:.0f},"p999_us":{:.0f},"most_us":{:.0f}}})"
      "\n",
      all.size(), plan.lost.load(), static_cast<double>(all.size()) / took.count(), share(all, 0.5),
      share(all, 0.99), share(all, 0.999), all.empty() ? 0 : all.back());
  return plan.lost == 0 ? 0 : 1;
}
