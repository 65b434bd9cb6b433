#pragma once

// What ReportDesk has while its file is open: for its own .cpp files.
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "milter/reports/list_steps.h"
#include "milter/reports/report_desk.h"
#include "milter/reports/reporter_rates.h"
#include "milter/reports/residence.h"
#include "storage/counters/timekeeper.h"

namespace shingled::milter::reports {

struct ReportDesk::Open {
  std::unique_ptr<storage::sqlite::ReportTable> table;
  CounterKeyBytes site{};
  std::vector<TaughtRule> rules;
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
