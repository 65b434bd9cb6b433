#include "storage/counters/counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "config/base/number_text.h"

namespace shingled::storage::counters {

namespace {

constexpr std::array<std::string_view, kMeasures + kSaidMeasures> kMeasureNames = {
    "mass",   "recipients", "bytes",       "spam",     "ham",           "complaint",
    "rescue", "failed",     "complainers", "rescuers", "own_complaint", "own_rescue"};
constexpr std::array<std::string_view, 2> kDirectionNames = {"in", "out"};
constexpr std::array<std::string_view, 2> kUnitNames = {"10m", "1d"};
constexpr std::size_t kShingleDigits = 16;

template <std::size_t N>
std::optional<std::size_t> place_of(std::string_view name,
                                    const std::array<std::string_view, N>& names) {
  const auto* const found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

/// Takes the text before the next '_' off the front; the whole rest if there is none.
std::string_view take_field(std::string_view& text) {
  const std::size_t end = std::min(text.find('_'), text.size());
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return field;
}

}  // namespace

std::string_view to_string(Direction direction) {
  return kDirectionNames[static_cast<std::size_t>(direction)];
}
std::string_view to_string(Measure measure) {
  return kMeasureNames[static_cast<std::size_t>(measure)];
}

std::optional<Measure> parse_measure(std::string_view name) {
  const auto found = find_measure(name);
  return found && !is_said(*found) ? found : std::nullopt;
}

std::optional<Measure> find_measure(std::string_view name) {
  const auto place = place_of(name, kMeasureNames);
  if (!place) return std::nullopt;
  return static_cast<Measure>(*place);
}

Slot slot_of(WallTime time) {
  const std::int64_t seconds = std::max<std::int64_t>(time.time_since_epoch().count(), 0);
  return static_cast<Slot>(
      std::min<std::int64_t>(seconds / kSlotSeconds, std::numeric_limits<Slot>::max()));
}

std::string date_text(Day day) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

Amounts day_part(PieceType type, const Amounts& of_slot) {
  if (!is_unique(type)) return of_slot;
  Amounts day;
  day.of(Measure::kMass) = of_slot.of(kNewOnDay);
  return day;
}

std::string to_string(const CountName& name) {
  return fmt::format("{}_{}_{:016x}_{}_{}_{}", to_string(name.measure),
                     to_string(name.key.direction), name.key.shingle,
                     static_cast<unsigned>(name.key.type),
                     kUnitNames[static_cast<std::size_t>(name.period.unit)], name.period.number);
}

std::optional<CountName> parse_count_name(std::string_view text) {
  std::string_view rest = text;
  const auto measure = parse_measure(take_field(rest));
  const auto direction = place_of(take_field(rest), kDirectionNames);
  const std::string_view digits = take_field(rest);
  const auto type = parse_whole<std::uint8_t>(take_field(rest));
  const auto unit = place_of(take_field(rest), kUnitNames);
  const auto number = parse_whole<std::uint32_t>(take_field(rest));
  std::uint64_t shingle = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, shingle, 16);
  if (!measure || !direction || !type || !unit || !number || failure != std::errc{} ||
      stop != end || digits.size() != kShingleDigits || find_piece_type(*type) == nullptr)
    return std::nullopt;
  const CountName name{{shingle, static_cast<PieceType>(*type), static_cast<Direction>(*direction)},
                       *measure,
                       {static_cast<Period::Unit>(*unit), *number}};
  // The only form: "007", capital digits and text after it are not names.
  return to_string(name) == text ? std::optional(name) : std::nullopt;
}

namespace {

constexpr std::uint32_t kSlotMinutes = kSlotSeconds / 60;
constexpr std::uint32_t kSlotsPerHour = 60 / kSlotMinutes;

Result<Window> read_window(std::string_view text, std::uint32_t days_max) {
  std::string_view rest = text;
  const auto count = take_whole<std::uint32_t>(rest);
  std::optional<Window> window;
  if (count && *count > 0) {
    if (rest == "m" && *count % kSlotMinutes == 0)
      window = {Period::Unit::kSlot, *count / kSlotMinutes, 0};
    if (rest == "h" && *count <= kSlotsPerDay)
      window = {Period::Unit::kSlot, *count * kSlotsPerHour, 0};
    if (rest == "d") window = {Period::Unit::kDay, *count, 0};
  }
  if (!window || window->count > (window->unit == Period::Unit::kDay ? days_max : kSlotsPerDay))
    return Error{ErrorCode::kInvalid,
                 fmt::format("'{}' is not a window: a multiple of 10m up to 24h, or 1d to {}d",
                             text, days_max)};
  return *window;
}

}  // namespace

Result<Window> parse_window(std::string_view text) { return read_window(text, kWindowDaysMax); }

Result<Window> parse_said_window(std::string_view text) { return read_window(text, kSaidDaysMax); }

std::string to_string(const Window& window) {
  if (window.unit == Period::Unit::kDay) return fmt::format("{}d", window.count);
  if (window.count % kSlotsPerHour == 0) return fmt::format("{}h", window.count / kSlotsPerHour);
  return fmt::format("{}m", window.count * kSlotMinutes);
}

void WindowSums::add(PieceType type, const Period& period, const Amounts& amounts) {
  const bool is_slot = period.unit == Period::Unit::kSlot;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const Window& window = windows_[i];
    if (window.unit == Period::Unit::kSlot) {
      if (is_slot && holds(window, now_, period.number)) sums_[i] += amounts;
    } else if (holds(window, day_of(now_), is_slot ? day_of(period.number) : period.number)) {
      sums_[i] += is_slot ? day_part(type, amounts) : amounts;
    }
  }
}

void add_entry(std::vector<Entry>& entries, const Entry& entry) {
  const auto at = std::ranges::lower_bound(entries, entry.period, {}, &Entry::period);
  if (at != entries.end() && at->period == entry.period)
    at->amounts += entry.amounts;
  else
    entries.insert(at, entry);
}

}  // namespace shingled::storage::counters
