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

namespace shingled::milter::mta {

/// One budget of memory for all messages under way (`milter.memory_max`). Memory is not measured: a
/// user takes an estimate from the budget (config/options/message_memory.h) and gives it back
/// later.
///
/// Large messages leave an eighth to small ones, so that ordinary mail passes while they wait.
/// Receiving and analysing them have a share each (memory_for_receiving(), memory_for_analyses()).
/// Invariant: the sum of all memory taken does not exceed the maximum at the time of taking.
/// Threads: any thread.
class MemoryBudget {
 public:
  /// The purpose of the memory.
  enum class Use : std::uint8_t {
    kSmall,    ///< a small message: may use the whole budget
    kReceive,  ///< the bytes of a large message
    kAnalyze,  ///< the analysis of a large message
  };

  /// How to wait for memory.
  struct Patience {
    const Clock& clock;
    TimePoint deadline;
    std::stop_token stop;
    std::function<void()> meanwhile;  ///< called about once a second; must not throw; may be empty
  };

  explicit MemoryBudget(std::uint64_t bytes_max) : max_(bytes_max) {}

  /// Sets the maximum from now on. Memory that is already taken stays taken.
  void set_max(std::uint64_t bytes_max);
  /// Takes memory if enough is free, and returns whether it did.
  [[nodiscard]] bool take(std::uint64_t bytes, Use use);
  /// Waits until enough is free and takes it. Those that wait for kAnalyze are served in the order
  /// of their calls. False: the deadline has passed, or a stop was requested.
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
  std::uint64_t received_ SHINGLED_GUARDED_BY(mutex_) = 0;  // part of `used_`, for kReceive
  std::uint64_t analyzed_ SHINGLED_GUARDED_BY(mutex_) = 0;  // likewise, for kAnalyze
  std::uint64_t peak_ SHINGLED_GUARDED_BY(mutex_) = 0;
  std::uint64_t tickets_ SHINGLED_GUARDED_BY(mutex_) = 0;
  // Tickets of the callers that wait for kAnalyze.
  std::set<std::uint64_t> queue_ SHINGLED_GUARDED_BY(mutex_);

  EventCount refused_received_;
  EventCount refused_analyzed_;
  EventCount waited_;
};

/// Memory taken from a budget. The destructor gives it back.
/// Threads: one at a time.
class MemoryLease {
 public:
  /// Without a budget there is always enough memory.
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

  /// Changes the total to `bytes`, for `use` from now on. False: there is not enough, and nothing
  /// has changed.
  [[nodiscard]] bool hold(std::uint64_t bytes, MemoryBudget::Use use);
  /// Takes `bytes` more; see MemoryBudget::await.
  [[nodiscard]] bool await(std::uint64_t bytes, const MemoryBudget::Patience& patience);
  void drop();

 private:
  std::shared_ptr<MemoryBudget> budget_;
  MemoryBudget::Use use_ = MemoryBudget::Use::kSmall;
  std::uint64_t bytes_ = 0;
};

}  // namespace shingled::milter::mta
