#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "mime/fingerprint/piece_type.h"

namespace shingled::storage::counters {

/// Which mail is counted.
enum class Direction : std::uint8_t {
  kIn,
  kOut,  ///< from local or authenticated senders
};

/// What is counted.
enum class Measure : std::uint8_t {
  kMass,        ///< messages
  kRecipients,  ///< their envelope recipients
  kBytes,
  kSpam,       ///< messages that our verdict calls spam
  kHam,        ///< messages that it calls ham
  kComplaint,  ///< complaints of people
  kRescue,     ///< people who say that it is not spam
  kFailed,     ///< recipients that the mail server refused

  // Nothing below is counted here: it is what different people said (storage/people).
  kComplainers,   ///< people who complained
  kRescuers,      ///< people who said that it is not spam
  kOwnComplaint,  ///< recipients of a message among the people who complained
  kOwnRescue,     ///< recipients of a message among those who said that it is not spam
};
/// Those that are counted.
inline constexpr std::size_t kMeasures = 8;
inline constexpr std::size_t kSaidMeasures = 4;
/// Whether a measure is what people said.
constexpr bool is_said(Measure measure) { return static_cast<std::size_t>(measure) >= kMeasures; }
/// Whether a measure is what the recipients of a message said.
constexpr bool is_own(Measure measure) {
  return measure == Measure::kOwnComplaint || measure == Measure::kOwnRescue;
}

/// Counts stay here instead of overflowing.
inline constexpr std::uint64_t kCountMax = std::numeric_limits<std::int64_t>::max();

std::string_view to_string(Direction direction);  ///< "in" "out"
std::string_view to_string(Measure measure);      ///< "mass" "recipients" ...
/// Of one that is counted.
std::optional<Measure> parse_measure(std::string_view name);
/// Of any.
std::optional<Measure> find_measure(std::string_view name);

/// One count for each measure. Sums stay at kCountMax.
/// Threads: a value.
struct Amounts {
  std::array<std::uint64_t, kMeasures> counts{};

  [[nodiscard]] std::uint64_t of(Measure measure) const {
    return counts[static_cast<std::size_t>(measure)];
  }
  std::uint64_t& of(Measure measure) { return counts[static_cast<std::size_t>(measure)]; }
  [[nodiscard]] bool is_zero() const { return *this == Amounts{}; }
  Amounts& operator+=(const Amounts& more) {
    for (std::size_t i = 0; i < kMeasures; ++i) {
      // Both are at most kCountMax, so the sum of 64 bits cannot overflow.
      const std::uint64_t sum = counts[i] + more.counts[i];
      counts[i] = sum < kCountMax ? sum : kCountMax;
    }
    return *this;
  }
  friend bool operator==(const Amounts&, const Amounts&) = default;
};

/// What is counted of a unique type: how many pairs were new in these ten minutes, and how many of
/// them were new on their day. A pair that comes in two periods of ten minutes is new in both, but
/// new on one day only, so the number of the day is not the sum of its ten minutes.
inline constexpr Measure kNewOnDay = Measure::kRecipients;

/// A counter: a piece (its type and shingle) in a direction. Ordered by shingle, as files are.
struct CounterKey {
  std::uint64_t shingle = 0;
  PieceType type{};
  Direction direction = Direction::kIn;

  /// Type and direction in one byte.
  [[nodiscard]] std::uint8_t tag() const {
    return static_cast<std::uint8_t>(static_cast<unsigned>(type) << 1U |
                                     static_cast<unsigned>(direction));
  }
  static CounterKey of(std::uint64_t shingle, std::uint8_t tag) {
    return {shingle, static_cast<PieceType>(tag >> 1U), static_cast<Direction>(tag & 1U)};
  }
  friend bool operator==(const CounterKey&, const CounterKey&) = default;
  friend std::strong_ordering operator<=>(const CounterKey& a, const CounterKey& b) {
    if (const auto order = a.shingle <=> b.shingle; order != 0) return order;
    return a.tag() <=> b.tag();
  }
};

/// A period of ten minutes: Unix time / 600.
using Slot = std::uint32_t;
/// A period of a day, UTC: Unix time / 86 400.
using Day = std::uint32_t;

inline constexpr std::uint32_t kSlotSeconds = 600;
inline constexpr std::uint32_t kSlotsPerDay = 144;  ///< also how long slots are kept
inline constexpr std::uint32_t kWindowDaysMax = 14;
/// Today, and the days of the longest window before it.
inline constexpr std::uint32_t kDaysKept = kWindowDaysMax + 1;
/// The longest window of what people said.
inline constexpr std::uint32_t kSaidDaysMax = 365;

/// Times before 1970 count as 1970.
Slot slot_of(WallTime time);
constexpr Day day_of(Slot slot) { return slot / kSlotsPerDay; }

/// "2026-11-26"
std::string date_text(Day day);

/// Which period a number belongs to.
struct Period {
  enum class Unit : std::uint8_t { kSlot, kDay };

  Unit unit = Unit::kSlot;
  std::uint32_t number = 0;

  friend auto operator<=>(const Period&, const Period&) = default;
};

/// The part of what a slot holds that counts for its day: all of it, or of a unique type the pairs
/// that were new on the day.
Amounts day_part(PieceType type, const Amounts& of_slot);

/// The name of one number, as logs, exports and HTTP have it:
/// `mass_in_5791f8cac2b7d8dd_14_10m_2831519`.
struct CountName {
  CounterKey key;
  Measure measure = Measure::kMass;
  Period period;
  friend bool operator==(const CountName&, const CountName&) = default;
};

std::string to_string(const CountName& name);
/// nullopt if the text is not the name of a count, in exactly the form that to_string gives it.
std::optional<CountName> parse_count_name(std::string_view text);

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
