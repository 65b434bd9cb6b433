#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace shingled::mime {

/// One step is about a nanosecond of the machine the costs were measured on: a byte of HTML has
/// some twenty, a byte that is only searched for line breaks a tenth of one.
using Steps = std::uint64_t;

/// What a message may cost for each megabyte begun, so that many small ones do not get what one
/// large one may have.
inline constexpr Steps kStepsAMegabyte = 150'000'000;

/// Counts the work on one message, so that it ends, whatever the message is made of.
///
/// Counted are steps, not time: equal bytes are cut off at the same place on every machine, and
/// keep equal hashes. A stage that is linear pays for its input before it begins; loops whose
/// length does not follow from the bytes pay as they go. Once the meter is empty it stays empty,
/// and whoever is refused leaves out what it was about to do.
/// Threads: one at a time; the stop may be asked for by any.
class WorkMeter {
 public:
  /// `stop`: from then on everything is refused.
  explicit WorkMeter(Steps steps, std::stop_token stop = {})
      : left_(steps), stop_(std::move(stop)) {}

  /// Takes the steps, or refuses them; then nothing is left.
  [[nodiscard]] bool spend(Steps steps) {
    if (steps > left_ || stop_.stop_requested()) {
      left_ = 0;
      refused_ = true;
      return false;
    }
    left_ -= steps;
    return true;
  }

  /// The same for `bytes` of so many steps each.
  [[nodiscard]] bool spend(std::size_t bytes, Steps each) { return spend(bytes * each); }

  [[nodiscard]] Steps left() const { return left_; }
  [[nodiscard]] bool refused() const { return refused_; }  ///< something was left out

 private:
  Steps left_;
  bool refused_ = false;
  std::stop_token stop_;
};

/// What the analysis of a message of so many bytes may cost: `work_max`, or less for a short one.
constexpr Steps steps_for(std::size_t message_bytes, Steps work_max) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
  return std::min<Steps>(work_max, (message_bytes / kMegabyte + 1) * kStepsAMegabyte);
}

}  // namespace shingled::mime
