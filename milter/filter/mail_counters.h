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

namespace shingled::milter::filter {

/// What is counted of messages. A new counter is a field and its line in `table`.
struct MessageCounts {
  EventCount unasked;     ///< look-ups
  EventCount incomplete;  ///< messages of which parts were not looked at
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

/// What became of the mail since the start, and how long each stage took.
/// Threads: any thread.
class MailCounters {
 public:
  /// A message judged; `total` from its MAIL command to the end.
  void judged(const rules::Facts& facts, const rules::Verdict& verdict, Duration total);
  /// A message of a sender who is not judged.
  void skipped() { skipped_.add(); }
  void report(MetricReport& report) const;

 private:
  static constexpr std::size_t kActions = 6;
  static constexpr std::size_t kOutcomes = 5;

  /// What one source of evidence counts and takes.
  struct OfSource {
    std::vector<rules::Figure> sums;  ///< labels are lists, fixed phrases: some hundred at most
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
  mutable Guarded<BySource> sources_;  ///< by Source::key; those that ever looked something up
};

}  // namespace shingled::milter::filter
