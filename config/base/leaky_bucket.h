#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "config/base/clock.h"

namespace shingled {

/// How fast a bucket leaks and how much it holds. A value: made once from the settings, then lent
/// to each bucket of that kind.
class LeakRate {
 public:
  /// Slower or faster ones are taken for these. A billionth of a second is the grain of time, so
  /// the fastest leaks at most a thousandth slower than asked for.
  static constexpr double kPerSecondMin = 1e-9;  // once in 31 years
  static constexpr double kPerSecondMax = 1e6;

  /// `burst`: what fits into an empty bucket, in the unit of the amounts; less than 0 is 0.
  LeakRate(double per_second, double burst)
      : unit_(std::ceil(1e9L / std::clamp(per_second, kPerSecondMin, kPerSecondMax))),
        room_(std::floor(std::clamp<long double>(burst * unit_, 0, kLongest))) {}

  /// One whose drops leak in `unit` each (a nanosecond at least), and a full bucket in `room`.
  static LeakRate of(Duration unit, Duration room) {
    LeakRate rate(1, 0);
    rate.unit_ = std::max<long double>(static_cast<long double>(unit.count()), 1);
    rate.room_ = std::clamp<long double>(static_cast<long double>(room.count()), 0, kLongest);
    return rate;
  }

  /// One that leaks as fast and holds so many times as much.
  [[nodiscard]] LeakRate holding(double bursts) const {
    LeakRate rate = *this;
    if (bursts != 1) rate.room_ = std::floor(std::clamp<long double>(room_ * bursts, 0, kLongest));
    return rate;
  }

  /// The time in which so much leaks, rounded up, 127 years at most; none for less than 0.
  [[nodiscard]] Duration time_of(double amount) const {
    return nanoseconds(std::ceil(std::clamp<long double>(amount * unit_, 0, kLongest)));
  }
  /// How much leaks in that time.
  [[nodiscard]] double amount_in(Duration time) const {
    return static_cast<double>(static_cast<long double>(time.count()) / unit_);
  }
  /// The same as they were asked for, but for the grain of time.
  [[nodiscard]] double per_second() const { return static_cast<double>(1e9L / unit_); }
  [[nodiscard]] double burst() const { return static_cast<double>(room_ / unit_); }
  /// The time in which a full bucket gets empty.
  [[nodiscard]] Duration room() const { return nanoseconds(room_); }

  friend bool operator==(const LeakRate&, const LeakRate&) = default;

 private:
  static_assert(Duration::period::den == 1'000'000'000, "the grain of time is a nanosecond");
  // Far below the end of 64 bits, so that a moment and it make no overflow.
  static constexpr long double kLongest = 4e18L;  // 127 years
  static Duration nanoseconds(long double count) {
    return Duration(static_cast<Duration::rep>(count));
  }

  long double unit_;  // nanoseconds in which 1 leaks; a whole number
  long double room_;  // nanoseconds in which a full bucket gets empty; a whole number
};

/// A leaky bucket: what is added leaks at a steady rate, and what does not fit is refused.
///
/// Law: what it took within any time t is never more than burst + rate * t. An amount larger than
/// burst never fits.
///
/// All it remembers is the moment at which it will be empty, so it is 8 bytes and may stand in a
/// `std::atomic`; one that is empty is like one that never was. After a change of the rate it goes
/// on from that moment: half full stays as long as it was going to be.
///
/// A value: no clock, no lock, no thread. Times may come a little out of order, as from several
/// threads: the bucket then leaked nothing in between.
/// Cost: a few instructions, no allocation.
class LeakyBucket {
 public:
  LeakyBucket() = default;
  /// One that will be empty then.
  explicit LeakyBucket(TimePoint empty_at) : empty_at_(empty_at) {}

  /// Adds `amount` if it fits, else changes nothing.
  [[nodiscard]] bool try_add(double amount, const LeakRate& rate, TimePoint now) {
    const TimePoint level = std::max(empty_at_, now) + rate.time_of(amount);
    if (level - now > rate.room()) return false;
    empty_at_ = level;
    return true;
  }
  /// Gives back what was added in vain.
  void take_back(double amount, const LeakRate& rate, TimePoint now) {
    empty_at_ = std::max(empty_at_ - rate.time_of(amount), now);
  }
  /// How much is in it.
  [[nodiscard]] double level(const LeakRate& rate, TimePoint now) const {
    return is_empty(now) ? 0 : rate.amount_in(empty_at_ - now);
  }
  [[nodiscard]] bool is_empty(TimePoint now) const { return empty_at_ <= now; }
  [[nodiscard]] TimePoint empty_at() const { return empty_at_; }

  friend bool operator==(const LeakyBucket&, const LeakyBucket&) = default;

 private:
  TimePoint empty_at_{};
};

}  // namespace shingled
