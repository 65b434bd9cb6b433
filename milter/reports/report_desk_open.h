#pragma once

// What ReportDesk has while its file is open: for its own .cpp files.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/base/guarded.h"
#include "milter/reports/list_steps.h"
#include "milter/reports/report_desk.h"
#include "milter/reports/reporter_rates.h"
#include "milter/reports/residence.h"
#include "storage/counters/timekeeper.h"

namespace shingled::milter::reports {

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
