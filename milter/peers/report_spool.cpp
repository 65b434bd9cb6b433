#include "milter/peers/report_spool.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "config/base/number_text.h"
#include "config/system/mapped_read.h"

namespace shingled::milter::peers {

namespace {

constexpr std::string_view kWaiting = ".report";
constexpr std::string_view kRefused = ".refused";
constexpr std::string_view kHalf = ".tmp";
/// The most that reports.bytes_max may be, and the line before the message.
constexpr std::size_t kSpooledBytesMax = (std::size_t{256} << 20U) + (std::size_t{64} << 10U);
// Microseconds.
constexpr std::uint64_t kHalfLife = 3'600'000'000;
constexpr std::uint64_t kPatience = 24 * kHalfLife;
constexpr std::uint64_t kRefusedLife = 30 * kPatience;

/// When a file was made, as its name says.
std::optional<std::uint64_t> time_of(const std::string& name) {
  return parse_whole<std::uint64_t>(name.substr(0, name.find('-')));
}

}  // namespace

std::string spooled_text(const SentReport& report) {
  Json head = {{"kind", report.spam ? "spam" : "ham"}, {"reporter", report.reporter}};
  if (report.is_kept) head["kept"] = true;
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
                    std::string(text.substr(end + 1)), head.value("kept", Json()) == Json(true)};
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

Result<ReportSpool::Content> ReportSpool::content() {
  const auto names = files_.names();
  if (!names) return names.error();
  Content out;
  for (const std::string& name : *names) {
    if (name.ends_with(kWaiting)) ++out.waiting;
    out.newest = std::max(out.newest, time_of(name).value_or(0));
  }
  return out;
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
    const auto begun = time_of(name);
    if (begun && *begun < time && time - *begun > kHalfLife) static_cast<void>(files_.remove(name));
  }
}

void ReportSpool::remove_refused(std::uint64_t time) {
  auto names = files_.names();
  if (!names) return;
  std::erase_if(*names, [](const std::string& name) { return !name.ends_with(kRefused); });
  std::ranges::sort(*names);
  std::size_t left = names->size();
  for (const std::string& name : *names) {
    const auto since = time_of(name);
    const bool old = since && *since < time && time - *since > kRefusedLife;
    if ((old || left > kRefusedMax) && files_.remove(name)) --left;
  }
}

Status ReportSpool::put_aside(const std::string& name, std::uint64_t time, const std::string& why,
                              Delivered& out) {
  const std::string aside = fmt::format("{:016}-{}-{:06}{}", time, process_, number_++, kRefused);
  Status done = files_.rename(name, aside);
  if (!done && done.error().code != ErrorCode::kNotFound) return done;
  ++out.refused;
  if (out.put_aside.size() < kNamedMax)
    out.put_aside.push_back(fmt::format("{}: put aside as {}: {}", name, aside, why));
  return {};
}

Result<ReportSpool::Delivered> ReportSpool::flush(std::uint64_t time, std::size_t most,
                                                  const Send& send) {
  const auto names = waiting();
  if (!names) return names.error();
  Delivered out;
  std::set<std::pair<std::uint64_t, std::string>> behind;  // persons with a report that waits
  std::vector<std::pair<std::string, Error>> failed;
  std::size_t in_a_row = 0;
  const auto skip = [&](const Error& why) {
    if (out.why_waiting) out.why_waiting = why;
  };
  std::size_t gone = 0;
  for (const std::string& name : *names) {
    const bool is_vain = in_a_row == kFailuresMax || failed.size() == kVainMax;
    if (out.sent + out.refused == most || is_vain) break;
    const auto held = files_.hold(name);
    const auto text = held ? read(name) : Result<std::string>(held.error());
    if (!text && text.error().code == ErrorCode::kNotFound) {
      ++gone;  // another process was quicker
      continue;
    }
    if (!text && text.error().code != ErrorCode::kCorrupt) {
      skip(text.error());
      continue;
    }
    const auto report = text ? parse_spooled(*text) : Result<SentReport>(text.error());
    if (!report) {
      if (Status done = put_aside(name, time, report.error().message, out); !done)
        skip(done.error());
      continue;
    }
    std::pair person{held->owner, report->reporter};
    if (held->hold == nullptr) {
      skip({ErrorCode::kTimeout, name + ": another process is delivering it"});
      behind.insert(std::move(person));
      continue;
    }
    if (behind.contains(person)) continue;
    const Result<Json> answer = send(*report);
    if (!answer && is_for_later(answer.error())) {
      skip(answer.error());
      failed.emplace_back(name, answer.error());
      behind.insert(std::move(person));
      in_a_row = is_away(answer.error()) ? in_a_row + 1 : 0;
      continue;
    }
    in_a_row = 0;
    const Status done =
        answer ? files_.remove(name) : put_aside(name, time, answer.error().message, out);
    if (!done && done.error().code != ErrorCode::kNotFound) {
      skip(done.error());
      behind.insert(std::move(person));
      continue;
    }
    if (answer) ++out.sent;
  }
  for (const auto& [name, why] : failed) {
    const auto since = time_of(name);
    const bool old = since && *since < time && time - *since > kPatience;
    if (out.sent > 0 && old) static_cast<void>(put_aside(name, time, why.message, out));
  }
  out.waiting = names->size() - gone - out.sent - out.refused;
  if (out.waiting == 0) out.why_waiting = Status();
  return out;
}

}  // namespace shingled::milter::peers
