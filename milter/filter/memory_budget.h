#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <utility>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"

namespace shingled::milter::filter {

/// One budget of memory for all messages under way (`milter.memory_max`). Nothing is measured:
/// whoever needs memory takes its estimate (config/options/message_memory.h) and gives it back.
///
/// Large messages leave an eighth to small ones, so that ordinary mail passes while they wait, and
/// half to analyses, so that a message that is here can be judged. Law: what is taken is never more
/// than the most it was told.
/// Threads: any thread.
class MemoryBudget {
 public:
  /// What the memory is for.
  enum class Use : std::uint8_t {
    kSmall,    ///< a small message: may use all there is
    kReceive,  ///< the bytes of a large one
    kAnalyze,  ///< the analysis of a large one
  };

  /// How to wait for memory.
  struct Patience {
    const Clock& clock;
    TimePoint deadline;
    std::stop_token stop;
    std::function<void()> meanwhile;  ///< called about every second; must not throw; may be empty
  };

  explicit MemoryBudget(std::uint64_t bytes_max) : max_(bytes_max) {}

  /// From now on; what is taken stays.
  void set_max(std::uint64_t bytes_max);
  /// Takes memory if it is there.
  [[nodiscard]] bool take(std::uint64_t bytes, Use use);
  /// Waits until it is there; those that wait for large amounts take turns. False: the deadline has
  /// passed, or it was asked to stop.
  [[nodiscard]] bool await(std::uint64_t bytes, Use use, const Patience& patience);
  void give_back(std::uint64_t bytes, Use use);

  [[nodiscard]] std::uint64_t used() const;
  void report(MetricReport& report) const;

 private:
  [[nodiscard]] bool has(std::uint64_t bytes, Use use) const SHINGLED_REQUIRES(mutex_);
  void add(std::uint64_t bytes, Use use) SHINGLED_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t max_ SHINGLED_GUARDED_BY(mutex_);
  std::uint64_t used_ SHINGLED_GUARDED_BY(mutex_) = 0;
  std::uint64_t received_ SHINGLED_GUARDED_BY(mutex_) = 0;  // of those, for kReceive
  std::uint64_t peak_ SHINGLED_GUARDED_BY(mutex_) = 0;
  std::uint64_t tickets_ SHINGLED_GUARDED_BY(mutex_) = 0;
  // Tickets of those that wait for kAnalyze.
  std::set<std::uint64_t> queue_ SHINGLED_GUARDED_BY(mutex_);

  EventCount refused_received_;
  EventCount refused_analyzed_;
  EventCount waited_;
};

/// Memory taken from a budget, given back at the end.
/// Threads: one at a time.
class MemoryLease {
 public:
  /// Without a budget there is always enough.
  MemoryLease() = default;
  MemoryLease(std::shared_ptr<MemoryBudget> budget, MemoryBudget::Use use)
      : budget_(std::move(budget)), use_(use) {}
  MemoryLease(MemoryLease&& other) noexcept
      : budget_(std::move(other.budget_)),
        use_(other.use_),
        bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryLease& operator=(MemoryLease&& other) noexcept;
  MemoryLease(const MemoryLease&) = delete;
  MemoryLease& operator=(const MemoryLease&) = delete;
  ~MemoryLease() { drop(); }

  /// Holds so much in all, for that use from now on. False: it is not there, and nothing changed.
  [[nodiscard]] bool hold(std::uint64_t bytes, MemoryBudget::Use use);
  /// Takes so much more; see MemoryBudget::await.
  [[nodiscard]] bool await(std::uint64_t bytes, const MemoryBudget::Patience& patience);
  void drop();

 private:
  std::shared_ptr<MemoryBudget> budget_;
  MemoryBudget::Use use_ = MemoryBudget::Use::kSmall;
  std::uint64_t bytes_ = 0;
};

}  // namespace shingled::milter::filter
