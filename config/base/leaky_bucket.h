#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "config/base/clock.h"

namespace shingled {

/// How fast a bucket leaks and how much it holds. A value: made once from the settings and used by
/// each bucket of that kind.
class LeakRate {
 public:
  /// Slower or faster rates are changed to these. The resolution is a nanosecond, so the fastest
  /// rate is at most a thousandth slower than requested.
  static constexpr double kPerSecondMin = 1e-9;  // once in 31 years
  static constexpr double kPerSecondMax = 1e6;

  /// `burst`: what fits into an empty bucket, in the unit of the amounts; less than 0 is 0.
  LeakRate(double per_second, double burst)
      : unit_(std::ceil(1e9L / std::clamp(per_second, kPerSecondMin, kPerSecondMax))),
        room_(std::floor(std::clamp<long double>(burst * unit_, 0, kLongest))) {}

  /// A rate with which a drop leaks in `unit` (at least a nanosecond), and a full bucket in `room`.
  static LeakRate of(Duration unit, Duration room) {
    LeakRate rate(1, 0);
    rate.unit_ = std::max<long double>(static_cast<long double>(unit.count()), 1);
    rate.room_ = std::clamp<long double>(static_cast<long double>(room.count()), 0, kLongest);
    return rate;
  }

  /// A rate that leaks as fast and holds this many times as much.
  [[nodiscard]] LeakRate holding(double bursts) const {
    LeakRate rate = *this;
    if (bursts != 1) rate.room_ = std::floor(std::clamp<long double>(room_ * bursts, 0, kLongest));
    return rate;
  }

  /// The time in which an amount leaks, rounded up, at most 127 years; 0 for a negative amount.
  [[nodiscard]] Duration time_of(double amount) const {
    return nanoseconds(std::ceil(std::clamp<long double>(amount * unit_, 0, kLongest)));
  }
  /// The amount that leaks in a time.
  [[nodiscard]] double amount_in(Duration time) const {
    return static_cast<double>(static_cast<long double>(time.count()) / unit_);
  }
  /// As requested, apart from the resolution of time.
  [[nodiscard]] double per_second() const { return static_cast<double>(1e9L / unit_); }
  [[nodiscard]] double burst() const { return static_cast<double>(room_ / unit_); }
  /// The time in which a full bucket drains.
  [[nodiscard]] Duration room() const { return nanoseconds(room_); }

  friend bool operator==(const LeakRate&, const LeakRate&) = default;

 private:
  static_assert(Duration::period::den == 1'000'000'000, "the grain of time is a nanosecond");
  // Far below the range of 64 bits, so that adding it to a moment does not overflow.
  static constexpr long double kLongest = 4e18L;  // 127 years
  static Duration nanoseconds(long double count) {
    return Duration(static_cast<Duration::rep>(count));
  }

  long double unit_;  // nanoseconds in which 1 leaks; a whole number
  long double room_;  // nanoseconds in which a full bucket gets empty; a whole number
};

/// A leaky bucket: what is added leaks at a steady rate, and what does not fit is refused.
///
/// Law: within any time t it accepts at most burst + rate * t. An amount larger than burst never
/// fits.
///
/// It only stores the moment at which it will be empty, so it has 8 bytes and fits into a
/// `std::atomic`; an empty bucket equals a new one. After a change of the rate that moment stays.
///
/// A value: no clock, no lock, no thread. Times may be slightly out of order, as from several
/// threads: then nothing has leaked in between.
/// Cost: a few instructions, no allocation.
class LeakyBucket {
 public:
  LeakyBucket() = default;
  /// A bucket that will be empty at that moment.
  explicit LeakyBucket(TimePoint empty_at) : empty_at_(empty_at) {}

  /// Adds `amount` if it fits, otherwise changes nothing.
  [[nodiscard]] bool try_add(double amount, const LeakRate& rate, TimePoint now) {
    const TimePoint level = std::max(empty_at_, now) + rate.time_of(amount);
    if (level - now > rate.room()) return false;
    empty_at_ = level;
    return true;
  }
  /// Takes an amount out again, of a message that did not pass.
  void take_back(double amount, const LeakRate& rate, TimePoint now) {
    empty_at_ = std::max(empty_at_ - rate.time_of(amount), now);
  }
  /// The amount in it.
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
