#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/milter_options.h"
#include "milter/history/message_search.h"
#include "milter/rules/verdict.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::replay {

/// What something would have done to one message of the history.
struct PastMessage {
  enum class Met : std::uint8_t {
    kNo,       ///< it has nothing to do with it
    kYes,      ///< the verdict is below
    kUnknown,  ///< the row does not tell
  };
  Met met = Met::kNo;
  rules::Action action{};
  double score = 0;
};

/// The verdict of then without some of its score. What was asked for by more than the score stays:
/// a rule with an action, an entry of a list, a failure.
/// Threads: stateless.
PastMessage with_score(const history::FoundMessage& message, double score,
                       const ActionOptions& actions);

/// A message whose verdict would have been another one.
struct PastChange {
  std::string id;  ///< history::message_name()
  std::int64_t time = 0;
  std::string sender;
  std::string subject;
  rules::Action from{};
  rules::Action to{};
  double score_from = 0;
  double score_to = 0;
};

struct PastEffect {
  std::int64_t since = 0;      ///< microseconds since 1970: from here on messages were looked at
  std::uint64_t messages = 0;  ///< that were looked at
  std::uint64_t met = 0;
  std::uint64_t changed = 0;  ///< of these: judged otherwise
  std::uint64_t unknown = 0;
  std::vector<PastChange> examples;  ///< of those that change, the newest first
};

/// How much is looked at.
struct PastBounds {
  static constexpr std::int64_t kSpanSeconds = std::int64_t{7} * 24 * 3600;
  std::uint64_t looked_max = 100'000;  ///< messages, the newest
  std::size_t examples_max = 10;
  Duration time_max = std::chrono::seconds(10);
};

/// Asks of each message of the last 7 days, the newest first, what would have become of it. Where a
/// bound is met, `since` is later than 7 days ago.
/// Errors:  those of the reader; kUnavailable: stopped.
/// Threads: that of the reader.
/// Cost:    reads each row; some 5 us a row.
Result<PastEffect> past_effect(
    storage::sqlite::HistoryReader& reader, const Clock& clock, const std::stop_token& stop,
    const std::function<PastMessage(const history::FoundMessage&)>& otherwise,
    const PastBounds& bounds = {});

}  // namespace shingled::milter::replay
