#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "storage/counters/counter.h"

namespace shingled::storage::counters {

/// What one period of a counter holds. An entry of a slot counts for its day, too; an entry of a
/// day has what was counted in slots that are not kept any more.
struct Entry {
  Period period;
  Amounts amounts;
  friend bool operator==(const Entry&, const Entry&) = default;
};
constexpr Day day_of(const Entry& entry) {
  const Period& period = entry.period;
  return period.unit == Period::Unit::kDay ? period.number : day_of(Slot{period.number});
}

/// The last periods up to the present one: `10m`, `6h`, `1d`. Days are those of the calendar, UTC:
/// `1d` is since midnight, `24h` is the last 144 periods of ten minutes.
struct Window {
  Period::Unit unit = Period::Unit::kSlot;
  std::uint32_t count = 1;    ///< periods
  std::uint32_t skipped = 0;  ///< the newest periods that are left out: 1 = without the present one
  friend bool operator==(const Window&, const Window&) = default;
};

/// Reads "10m", "90m", "24h", "14d".
/// Errors: kInvalid: not such a text, not a multiple of ten minutes, longer than 24 h or 14 d.
Result<Window> parse_window(std::string_view text);
/// Also "15d" to "365d": windows of what people said.
Result<Window> parse_said_window(std::string_view text);
/// Whether only what people said is kept for so long.
constexpr bool is_long(const Window& window) {
  return window.unit == Period::Unit::kDay && window.count > kWindowDaysMax;
}
std::string to_string(const Window& window);

/// Sums of one counter over some windows: counts[i] is that of windows[i].
/// Threads: one thread.
class WindowSums {
 public:
  /// `now`: the present slot. `sums`: as many as windows; they are added to.
  WindowSums(std::span<const Window> windows, Slot now, std::span<Amounts> sums)
      : windows_(windows), now_(now), sums_(sums) {}

  void add(PieceType type, const Period& period, const Amounts& amounts);

 private:
  [[nodiscard]] static bool holds(const Window& window, std::uint32_t present,
                                  std::uint32_t number) {
    const std::uint32_t age = present - number;  // a period in the future is too old by far
    return age >= window.skipped && age - window.skipped < window.count;
  }

  std::span<const Window> windows_;
  Slot now_;
  std::span<Amounts> sums_;
};

/// Puts `entry` to the others, which are sorted by period, each period once.
void add_entry(std::vector<Entry>& entries, const Entry& entry);

}  // namespace shingled::storage::counters
