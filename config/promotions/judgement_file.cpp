#include "config/promotions/judgement_file.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "config/base/number_text.h"
#include "config/promotions/replaced_file.h"
#include "config/system/whole_file.h"

namespace shingled::config {

namespace {

/// For 10 000 rules, the most of a policy, with some windows each.
constexpr std::size_t kJudgementBytesMax = 8U << 20U;

}  // namespace

std::string judgement_file(const HistoryOptions& history) { return history.file + ".judgements"; }

Result<Judgements> read_judgements(const std::string& file) {
  const auto whole = read_whole_file(file, kJudgementBytesMax);
  if (!whole && whole.error().code == ErrorCode::kNotFound) return Judgements{};
  if (!whole) return whole.error();
  auto read = judgements_of(whole->text);
  if (!read) return read.error().in(file);
  return read;
}

Status write_judgements(const std::string& file, const Judgements& judgements) {
  return replace_file(file, text_of(judgements));
}

namespace {

constexpr std::string_view kTitle = "shingled rule judgements ";
constexpr std::uint64_t kVersion = 1;
constexpr int kIdentityBase = 16;
/// Seconds since 1970 that a clock may show: until the year 9999.
constexpr std::int64_t kTimeMax = 253'402'300'799;

std::string hex_of(std::uint64_t number) {
  std::string out(kIdentityBase, '0');
  for (std::size_t i = out.size(); i > 0; number /= kIdentityBase)
    out[--i] = "0123456789abcdef"[number % kIdentityBase];
  return out;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] =
      std::from_chars(text.data(), text.data() + text.size(), number, kIdentityBase);
  const bool whole = failure == std::errc{} && end == text.data() + text.size();
  return whole && text.size() == kIdentityBase ? std::optional(number) : std::nullopt;
}

void put(std::string& out, std::string_view key, std::uint64_t number) {
  out.append(" ").append(key).append("=").append(std::to_string(number));
}

void put(std::string& out, std::string_view key, WallTime time) {
  out.append(" ").append(key).append("=").append(std::to_string(time.time_since_epoch().count()));
}

/// Words of one line, each with its key, in their order. Fails once and for all.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  std::string_view word() {
    if (failed_ || rest_.empty()) {
      failed_ = true;
      return {};
    }
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view out = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return out;
  }
  std::string_view value(std::string_view key) {
    const std::string_view found = word();
    const bool fits =
        found.size() > key.size() && found.starts_with(key) && found[key.size()] == '=';
    failed_ = failed_ || !fits;
    return fits ? found.substr(key.size() + 1) : std::string_view();
  }
  std::uint64_t number(std::string_view key) {
    return take(parse_whole<std::uint64_t>(value(key)));
  }
  WallTime time(std::string_view key) {
    return WallTime(std::chrono::seconds(take(parse_whole<std::int64_t>(value(key), 0, kTimeMax))));
  }
  template <typename Number>
  Number take(const std::optional<Number>& found) {
    failed_ = failed_ || !found;
    return found.value_or(Number{});
  }
  void fail() { failed_ = true; }
  [[nodiscard]] bool all_read() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

std::string line_of(const RuleJudgement& rule) {
  std::string out = "rule " + rule.name + " id=" + hex_of(rule.identity) +
                    " state=" + std::string(to_string(rule.stage));
  put(out, "since", rule.since);
  put(out, "messages", rule.figures.messages);
  put(out, "reported", rule.figures.reported);
  put(out, "rescued", rule.figures.rescued);
  put(out, "correspondents", rule.figures.correspondents);
  put(out, "unreported", rule.figures.unreported);
  put(out, "stopped", rule.figures.stopped);
  for (const auto& [window, count] : rule.lacking) put(out, window, count);
  return out + '\n';
}

RuleStage stage_of(LineReader& line) {
  const std::string_view word = line.value("state");
  for (const RuleStage stage :
       {RuleStage::kShadow, RuleStage::kProposed, RuleStage::kPromoted, RuleStage::kReturned})
    if (to_string(stage) == word) return stage;
  line.fail();
  return RuleStage::kShadow;
}

/// The windows that are lacking are the rest of the line.
void read_lacking(LineReader& line, std::map<std::string, std::uint64_t>& out) {
  while (!line.all_read()) {
    const std::string_view word = line.word();
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return line.fail();
    const auto count = line.take(parse_whole<std::uint64_t>(word.substr(equals + 1)));
    if (!out.emplace(std::string(word.substr(0, equals)), count).second) return line.fail();
  }
}

std::optional<RuleJudgement> rule_of(std::string_view text) {
  LineReader line(text);
  if (line.word() != "rule") return std::nullopt;
  RuleJudgement out;
  out.name = line.word();
  out.identity = line.take(parse_hex(line.value("id")));
  out.stage = stage_of(line);
  out.since = line.time("since");
  out.figures.messages = line.number("messages");
  out.figures.reported = line.number("reported");
  out.figures.rescued = line.number("rescued");
  out.figures.correspondents = line.number("correspondents");
  out.figures.unreported = line.number("unreported");
  out.figures.stopped = line.number("stopped");
  read_lacking(line, out.lacking);
  return line.all_read() && !out.name.empty() ? std::optional(std::move(out)) : std::nullopt;
}

bool read_whole(std::string_view text, Judgements& out) {
  LineReader line(text);
  out.judged = line.time("judged");
  out.messages = line.number("messages");
  out.unreported = line.number("unreported");
  out.broken = line.number("broken");
  out.first = line.time("first");
  return line.all_read();
}

Error corrupt(std::size_t line) {
  return {ErrorCode::kCorrupt,
          "line " + std::to_string(line) + " is not one of judgements of rules"};
}

}  // namespace

std::string text_of(const Judgements& judgements) {
  std::string out = std::string(kTitle) + std::to_string(kVersion) +
                    "\njudged=" + std::to_string(judgements.judged.time_since_epoch().count());
  put(out, "messages", judgements.messages);
  put(out, "unreported", judgements.unreported);
  put(out, "broken", judgements.broken);
  put(out, "first", judgements.first);
  out += '\n';
  for (const RuleJudgement& rule : judgements.rules) out += line_of(rule);
  return out + "end " + std::to_string(judgements.rules.size()) + '\n';
}

Result<Judgements> judgements_of(std::string_view text) {
  Judgements out;
  std::size_t number = 0;
  std::set<std::string, std::less<>> names;
  bool ended = false;
  for (; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    // A line without an end was cut off.
    if (end == std::string_view::npos || ended) return corrupt(number + 1);
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 0) {
      if (!line.starts_with(kTitle)) return corrupt(1);
      const auto version = parse_whole<std::uint64_t>(line.substr(kTitle.size()));
      if (version && *version > kVersion)
        return Error{ErrorCode::kInvalid, "was written by a newer version"};
      if (version != kVersion) return corrupt(1);
    } else if (number == 1) {
      if (!read_whole(line, out)) return corrupt(2);
    } else if (line.starts_with("end ")) {
      ended = line == "end " + std::to_string(out.rules.size());
      if (!ended) return corrupt(number + 1);
    } else {
      auto rule = rule_of(line);
      if (!rule || !names.insert(rule->name).second) return corrupt(number + 1);
      out.rules.push_back(*std::move(rule));
    }
  }
  if (!ended) return Error{ErrorCode::kCorrupt, "its end is missing"};
  return out;
}

}  // namespace shingled::config
