#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <utility>

namespace shingled::mime {

/// A step is about a nanosecond on the machine where the costs were measured. A byte of HTML costs
/// about twenty steps, a byte that is only searched for line breaks a tenth of one.
using Steps = std::uint64_t;

/// The limit per megabyte or part of one, so that many small messages cannot cost as much as one
/// large message.
inline constexpr Steps kStepsAMegabyte = 150'000'000;

/// Counts the work on one message and ends it at a limit, whatever the message contains.
///
/// It counts steps, not time, so that equal bytes are cut off at the same place on every machine
/// and have equal hashes. A linear stage pays for its input before it begins; loops whose length
/// does not follow from the size of the input pay as they go. Once the meter has refused, it
/// refuses everything. Code that is refused leaves out what it was about to do.
/// Threads: one at a time; any thread may request the stop.
class WorkMeter {
 public:
  /// After `stop` is requested everything is refused.
  explicit WorkMeter(Steps steps, std::stop_token stop = {})
      : left_(steps), stop_(std::move(stop)) {}

  /// Takes the steps. Returns false if there are not enough; then none are left.
  [[nodiscard]] bool spend(Steps steps) {
    if (steps > left_ || stop_.stop_requested()) {
      left_ = 0;
      refused_ = true;
      return false;
    }
    left_ -= steps;
    return true;
  }

  /// The same for `bytes` bytes of `each` steps.
  [[nodiscard]] bool spend(std::size_t bytes, Steps each) { return spend(bytes * each); }

  [[nodiscard]] Steps left() const { return left_; }
  [[nodiscard]] bool refused() const { return refused_; }  ///< something was left out

 private:
  Steps left_;
  bool refused_ = false;
  std::stop_token stop_;
};

/// The work limit for a message of `message_bytes`: `work_max`, or less for a short message.
constexpr Steps steps_for(std::size_t message_bytes, Steps work_max) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
  return std::min<Steps>(work_max, (message_bytes / kMegabyte + 1) * kStepsAMegabyte);
}

}  // namespace shingled::mime
