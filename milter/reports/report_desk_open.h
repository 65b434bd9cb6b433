#pragma once

// What ReportDesk has while its file is open: for its own .cpp files.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/leaky_bucket.h"
#include "config/options/ratelimit_options.h"
#include "milter/reports/report_desk.h"
#include "milter/reports/support.h"
#include "milter/reports/wanted_mail.h"
#include "storage/counters/timekeeper.h"

namespace shingled::milter::reports {

/// How many reports of each person are taken in a time. Kept in memory: a start forgets it.
/// Threads: one thread at a time.
class ReporterRates {
 public:
  /// People who are remembered; if there are more, those whose buckets are empty are forgotten,
  /// and if nobody's is, the new one is not bounded.
  static constexpr std::size_t kPeopleMax = 100'000;

  /// Whether a report of this person (its id) exceeds the rate. It is counted if it does not.
  bool is_too_many(std::uint64_t person, const BucketRate& rate, TimePoint now) {
    if (!rate.limits()) return false;
    if (buckets_.size() >= kPeopleMax && !buckets_.contains(person)) {
      std::erase_if(buckets_, [&](const auto& entry) { return entry.second.is_empty(now); });
      if (buckets_.size() >= kPeopleMax) return false;
    }
    return !buckets_[person].try_add(1, LeakRate(rate.leak, rate.burst), now);
  }
  /// Does not count one that was not taken.
  void take_back(std::uint64_t person, const BucketRate& rate, TimePoint now) {
    const auto found = buckets_.find(person);
    if (found != buckets_.end()) found->second.take_back(1, LeakRate(rate.leak, rate.burst), now);
  }

 private:
  std::map<std::uint64_t, LeakyBucket> buckets_;
};

/// Releases a lock while it lives: around what waits for others. The holder of the lock has the
/// turn, so no other report changes what it is about to do.
/// Threads: one thread.
class Unlocked {
 public:
  // The analysis knows only locks that are taken.
  explicit Unlocked(Mutex& mutex) SHINGLED_NO_THREAD_SAFETY_ANALYSIS : mutex_(mutex) {
    mutex_.unlock();
  }
  ~Unlocked() SHINGLED_NO_THREAD_SAFETY_ANALYSIS { mutex_.lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Mutex& mutex_;
};

/// As logs and counters show the name of a person or a message.
inline std::string hex_id(std::uint64_t name) { return fmt::format("{:016x}", name); }

struct ReportDesk::Open {
  std::unique_ptr<storage::sqlite::ReportTable> table;
  CounterKeyBytes site{};
  TaughtRules rules;
  std::map<std::uint32_t, ListSteps> steps;  ///< by list
  std::set<std::uint64_t> trusted;           ///< names of reporters
  storage::counters::Timekeeper time;
  Teacher teacher;
  ReporterRates rates = {};
  Residence residence = {};
  bool has_rest = true;  ///< hashes may not have their weight
  std::optional<TimePoint> forgot = {};
};

}  // namespace shingled::milter::reports
