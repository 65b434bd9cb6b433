#include "milter/cli/reports/report_spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/base/number_text.h"
#include "config/system/mapped_read.h"

namespace shingled::milter::cli {

namespace {

constexpr std::string_view kWaiting = ".report";
constexpr std::string_view kRefused = ".refused";
constexpr std::string_view kHalf = ".tmp";
/// The most that reports.bytes_max may be, and the line before the message.
constexpr std::size_t kSpooledBytesMax = (std::size_t{256} << 20U) + (std::size_t{64} << 10U);
constexpr std::uint64_t kHalfLife = 3'600'000'000;  // microseconds

}  // namespace

std::string spooled_text(const SentReport& report) {
  const Json head = {{"kind", report.spam ? "spam" : "ham"}, {"reporter", report.reporter}};
  return head.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n" + report.message;
}

Result<SentReport> parse_spooled(std::string_view text) {
  const Error bad{ErrorCode::kCorrupt, "not a report of this program"};
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return bad;
  const Json head = Json::parse(text.substr(0, end), nullptr, /*allow_exceptions=*/false);
  if (!head.is_object() || !head.contains("kind") || !head.contains("reporter")) return bad;
  if (!head["kind"].is_string() || !head["reporter"].is_string()) return bad;
  const auto kind = head["kind"].get<std::string>();
  if (kind != "spam" && kind != "ham") return bad;
  return SentReport{kind == "spam", head["reporter"].get<std::string>(),
                    std::string(text.substr(end + 1))};
}

Status ReportSpool::keep(const SentReport& report, std::uint64_t time) {
  const std::string name = fmt::format("{:016}-{}-{:06}", time, process_, number_++);
  const std::string half = name + std::string(kHalf);
  auto file = files_.create(half);
  if (!file) return file.error();
  const std::string text = spooled_text(report);
  Status done = (*file)->append(as_bytes(text));
  if (done) done = (*file)->sync();
  file->reset();
  if (done) done = files_.rename(half, name + std::string(kWaiting));
  if (done) done = files_.sync_names();
  if (!done) static_cast<void>(files_.remove(half));
  return done;
}

Result<std::vector<std::string>> ReportSpool::waiting() {
  auto names = files_.names();
  if (!names) return names.error();
  std::erase_if(*names, [](const std::string& name) { return !name.ends_with(kWaiting); });
  std::ranges::sort(*names);
  return names;
}

Result<bool> ReportSpool::empty() {
  const auto names = waiting();
  if (!names) return names.error();
  return names->empty();
}

Result<std::string> ReportSpool::read(const std::string& name) {
  const auto mapped = files_.map(name);
  if (!mapped) return mapped.error();
  const BytesView bytes = (*mapped)->bytes();
  if (bytes.size() > kSpooledBytesMax) return Error{ErrorCode::kCorrupt, name + ": is too long"};
  std::string text(bytes.size(), '\0');
  const bool whole = read_mapped([&] { std::copy(bytes.begin(), bytes.end(), text.begin()); });
  if (!whole) return Error{ErrorCode::kUnavailable, name + ": cannot be read"};
  return text;
}

void ReportSpool::remove_halves(std::uint64_t time) {
  const auto names = files_.names();
  if (!names) return;
  for (const std::string& name : *names) {
    if (!name.ends_with(kHalf)) continue;
    const auto begun = parse_whole<std::uint64_t>(name.substr(0, name.find('-')));
    if (begun && *begun < time && time - *begun > kHalfLife) static_cast<void>(files_.remove(name));
  }
}

Result<ReportSpool::Delivered> ReportSpool::flush(
    std::size_t most, const std::function<Result<Json>(const SentReport&)>& send) {
  const auto names = waiting();
  if (!names) return names.error();
  Delivered out;
  out.waiting = names->size();
  const auto skip = [&](const Error& why) {
    if (out.why_waiting) out.why_waiting = why;
  };
  for (const std::string& name : *names) {
    if (out.sent + out.refused == most) break;
    const auto text = read(name);
    if (!text && text.error().code == ErrorCode::kNotFound) {
      --out.waiting;  // another process was quicker
      continue;
    }
    if (!text && text.error().code != ErrorCode::kCorrupt) {
      skip(text.error());
      continue;
    }
    const auto report = text ? parse_spooled(*text) : Result<SentReport>(text.error());
    const Result<Json> answer = report ? send(*report) : Result<Json>(report.error());
    if (!answer && report && is_for_later(answer.error())) {
      out.why_waiting = answer.error();
      break;
    }
    const std::string stem = name.substr(0, name.size() - kWaiting.size());
    Status done = answer ? files_.remove(name) : files_.rename(name, stem + std::string(kRefused));
    if (!done && done.error().code != ErrorCode::kNotFound) {
      skip(done.error());
      continue;
    }
    --out.waiting;
    ++(answer ? out.sent : out.refused);
  }
  return out;
}

}  // namespace shingled::milter::cli
