#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/guarded.h"
#include "config/metrics/counter_table.h"
#include "config/metrics/instruments.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::mta {

/// Counters of messages. A new counter needs a field and a line in `table`.
struct MessageCounts {
  EventCount unasked;     ///< look-ups that were left out
  EventCount incomplete;  ///< messages with parts that were not looked at
  EventCount unknown;     ///< messages that the failure policy decided on
  EventCount bytes;
  EventCount truncated;

  static constexpr auto table() {
    using Counters = MessageCounts;
    return std::to_array<CounterLine<Counters, EventCount>>({
        {&Counters::unasked,
         {"shingled_mail_lookups_unasked", "Hashes beyond milter.lookups_max."}},
        {&Counters::incomplete,
         {"shingled_mail_incomplete", "Messages not looked at to the end: a bound was met."}},
        {&Counters::unknown,
         {"shingled_mail_unknown", "Messages on which milter.on_failure decided."}},
        {&Counters::bytes, {"shingled_mail_bytes", "Bytes of messages looked at."}},
        {&Counters::truncated,
         {"shingled_mail_truncated", "Messages longer than what is looked at."}},
    });
  }
};
static_assert(kHasWholeTable<MessageCounts>);

/// Counts the results of all messages since the start, and how long each stage took.
/// Threads: any thread.
class MailCounters {
 public:
  /// Counts a judged message. `total`: the time from its MAIL command to its end.
  void judged(const rules::Facts& facts, const rules::Verdict& verdict, Duration total);
  /// Counts a message that is passed without a check because of its sender.
  void skipped() { skipped_.add(); }
  void report(MetricReport& report) const;

 private:
  static constexpr std::size_t kActions = 6;
  static constexpr std::size_t kOutcomes = 5;

  /// The figures and the times of one source of evidence.
  struct OfSource {
    std::vector<rules::Figure> sums;  ///< labels are lists and fixed phrases: a few hundred at most
    Histogram time{kLatencyShape};
  };
  using BySource = std::map<std::string_view, OfSource>;

  void looked_up(const rules::Findings& findings);

  std::array<EventCount, kActions> actions_;  ///< by Action
  EventCount skipped_;
  std::array<EventCount, kOutcomes> lookups_;  ///< by Lookup::Outcome
  MessageCounts messages_;
  Histogram analysis_{kLatencyShape};
  Histogram hashing_{kLatencyShape};
  Histogram local_{kLatencyShape};
  Histogram remote_{kLatencyShape};
  Histogram total_{kLatencyShape};
  mutable Guarded<BySource>
      sources_;  ///< by Source::key; only sources that have looked something up
};

}  // namespace shingled::milter::mta
