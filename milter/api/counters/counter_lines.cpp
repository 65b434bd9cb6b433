#include "milter/api/counters/counter_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "storage/counters/counter_key.h"

namespace shingled::milter::api {

namespace {

using storage::counters::Amounts;
using storage::counters::CounterKey;
using storage::counters::CounterSeries;
using storage::counters::CountName;
using storage::counters::Day;
using storage::counters::day_of;
using storage::counters::day_part;
using storage::counters::Entry;
using storage::counters::kCountMax;
using storage::counters::kMeasures;
using storage::counters::kSlotsPerDay;
using storage::counters::Measure;
using storage::counters::Period;
using storage::counters::Slot;

using Unit = Period::Unit;

constexpr std::string_view kMarkBegin = "{\"key\":";

void append_counts(const CounterKey& key, const Period& period, const Amounts& amounts,
                   std::string& out) {
  for (std::size_t i = 0; i < kMeasures; ++i) {
    if (amounts.counts[i] == 0) continue;
    out += "{\"name\":\"";
    out += to_string(CountName{key, static_cast<Measure>(i), period});
    out += "\",\"count\":";
    out += std::to_string(amounts.counts[i]);
    out += "}\n";
  }
}

struct CountLine {
  CountName name;
  std::uint64_t count = 0;
};

/// One line: an object with exactly `name` and `count`.
class LineReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  [[nodiscard]] std::optional<CountLine> line() const {
    if (!name_ || !count_) return std::nullopt;
    return CountLine{*name_, *count_};
  }

  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_integer(number_integer_t) override { return false; }
  bool number_float(number_float_t, const string_t&) override { return false; }
  bool binary(binary_t&) override { return false; }
  bool start_array(std::size_t) override { return false; }
  bool end_array() override { return false; }
  bool end_object() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }
  bool start_object(std::size_t) override { return !std::exchange(is_open_, true); }
  bool key(string_t& name) override {
    is_name_ = name == "name";
    return is_name_ ? !name_ : name == "count" && !count_;
  }
  bool string(string_t& text) override {
    if (!is_open_ || !is_name_) return false;
    name_ = storage::counters::parse_count_name(text);
    return name_.has_value();
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (!is_open_ || is_name_ || value > kCountMax) return false;
    count_ = value;
    return true;
  }

 private:
  bool is_open_ = false;
  bool is_name_ = false;
  std::optional<CountName> name_;
  std::optional<std::uint64_t> count_;
};

/// The lines of one counter.
struct CounterLines {
  CounterKey key;
  std::size_t line = 0;  ///< the first one
  std::map<Period, Amounts> periods;
  std::set<std::pair<Period, Measure>> seen;

  /// The entries as a store has them; nullopt if a day has less than its ten minutes.
  [[nodiscard]] std::optional<CounterSeries> series(Slot now) const;
};

std::optional<CounterSeries> CounterLines::series(Slot now) const {
  CounterSeries out{key, {}};
  std::map<Day, Amounts> kept;  // of a day, in its ten minutes
  std::map<Day, Amounts> days;
  for (const auto& [period, amounts] : periods) {
    if (period.unit != Unit::kSlot) continue;
    const Day day = day_of(period.number);
    const bool is_kept = period.number > now || now - period.number < kSlotsPerDay;
    if (is_kept) out.entries.push_back({period, amounts});
    (is_kept ? kept : days)[day] += day_part(key.type, amounts);
  }
  for (const auto& [period, total] : periods) {
    if (period.unit != Unit::kDay) continue;
    Amounts& rest = days[period.number] = total;
    const auto of_slots = kept.find(period.number);
    if (of_slots == kept.end()) continue;
    for (std::size_t i = 0; i < kMeasures; ++i) {
      if (rest.counts[i] < of_slots->second.counts[i]) return std::nullopt;
      rest.counts[i] -= of_slots->second.counts[i];
    }
  }
  for (const auto& [day, amounts] : days)
    if (!amounts.is_zero()) out.entries.push_back({{Unit::kDay, day}, amounts});
  return out;
}

Error wrong_line(std::size_t number, std::string_view what) {
  return {ErrorCode::kInvalid, fmt::format("line {}: {}", number, what)};
}

}  // namespace

void append_mark_line(std::uint64_t mark, std::string& out) {
  out += std::string(kMarkBegin) + '"' + storage::counters::mark_text(mark) + "\"}\n";
}

std::optional<Result<std::uint64_t>> take_mark_line(std::string_view& text) {
  if (!text.starts_with(kMarkBegin)) return std::nullopt;
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  const bool has_key = json.is_object() && json.contains("key") && json["key"].is_string();
  const auto mark =
      has_key ? storage::counters::parse_mark(json["key"].get<std::string>()) : std::nullopt;
  if (!mark) return Error{ErrorCode::kInvalid, "\"key\": is not a mark of 16 hexadecimal digits"};
  return *mark;
}

void append_count_lines(const CounterSeries& counter, std::string& out) {
  std::map<Day, Amounts> days;
  for (const Entry& entry : counter.entries) {
    if (entry.period.unit == Unit::kDay) {
      days[entry.period.number] += entry.amounts;
      continue;
    }
    append_counts(counter.key, entry.period, entry.amounts, out);
    days[day_of(entry.period.number)] += day_part(counter.key.type, entry.amounts);
  }
  for (const auto& [day, amounts] : days)
    append_counts(counter.key, {Unit::kDay, day}, amounts, out);
}

Result<std::vector<CounterSeries>> parse_count_lines(std::string_view text, Slot now) {
  std::vector<CounterSeries> out;
  std::set<CounterKey> ended;
  std::optional<CounterLines> present;
  const auto end_counter = [&]() -> Status {
    if (!present) return {};
    auto series = present->series(now);
    if (!series) return wrong_line(present->line, "a day of this counter has less than its parts");
    if (!series->entries.empty()) out.push_back(*std::move(series));
    ended.insert(present->key);
    return {};
  };
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    LineReader reader;
    const bool is_json = nlohmann::json::sax_parse(line.begin(), line.end(), &reader);
    const auto count = is_json ? reader.line() : std::nullopt;
    if (!count)
      return wrong_line(number, "must be {\"name\": a name as in an export, \"count\": a number}");
    if (!present || present->key != count->name.key) {
      if (Status ok = end_counter(); !ok) return ok.error();
      if (ended.contains(count->name.key))
        return wrong_line(number, "the lines of one counter must follow each other");
      present = CounterLines{count->name.key, number, {}, {}};
    }
    if (!present->seen.emplace(count->name.period, count->name.measure).second)
      return wrong_line(number, "comes twice");
    present->periods[count->name.period].of(count->name.measure) = count->count;
  }
  if (Status ok = end_counter(); !ok) return ok.error();
  return out;
}

}  // namespace shingled::milter::api
