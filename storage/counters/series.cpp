#include "storage/counters/series.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/base/number_text.h"

namespace shingled::storage::counters {

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
