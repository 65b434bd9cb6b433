#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "config/options/milter_options.h"
#include "milter/learning/label.h"
#include "milter/model/vector.h"
#include "storage/model/work_watcher.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::learning {

// Without so many messages there is no training.
inline constexpr std::uint64_t kBadMin = 400;
inline constexpr std::uint64_t kWantedMin = 800;

/// A message that teaches.
struct TaughtMessage {
  std::int64_t time = 0;  ///< microseconds since 1970
  std::string queue_id;
  model::Vector vector;
  double others = 0;  ///< score of all other evidence
  bool bad = false;
  bool by_people = false;
  float weight = 1;
};

/// What a history teaches.
struct Sample {
  std::vector<TaughtMessage> messages;  ///< by time
  std::uint64_t bad = 0;                ///< of the whole history, as is all below
  std::uint64_t wanted = 0;
  std::uint64_t reported = 0;
  std::uint64_t rescued = 0;
  std::uint64_t alike = 0;     ///< bad, as most of their phrases are in reported mail
  std::uint64_t left_out = 0;  ///< did not fit in the sample
  std::uint64_t broken = 0;
  std::int64_t first = 0;  ///< microseconds; of all rows
  std::int64_t last = 0;
};

/// A label that somebody else gives, by queue id.
struct GivenLabel {
  bool bad = false;
  float weight = 1;
  bool own = false;  ///< that of the history instead
};
using GivenLabels = std::map<std::string, GivenLabel>;

struct SampleOptions {
  std::size_t messages_max = 50'000;
  /// Take only these messages, with these labels; null = all, with those of the history.
  const GivenLabels* given = nullptr;
};

/// Reads what a span of the history teaches. Of more messages than fit, each has the same chance,
/// but those that people had a word on come first; the others weigh more for those left out.
///
/// A message on which nobody had a word is bad if most of its phrases are in reported mail and in
/// none that somebody rescued: the first messages of a campaign come before the first report.
/// Errors:  those of HistoryReader; kUnavailable if `watcher` says so.
/// Cost:    some 20 us a row; 3 KB for each message.
Result<Sample> take_sample(const std::string& file,
                           const storage::sqlite::HistoryReader::Span& span,
                           const ActionOptions& actions, const SampleOptions& options,
                           const storage::Watcher& watcher);

/// What is missing for a training. `days`: until it is there at the rate of the history; negative =
/// never.
struct Missing {
  std::uint64_t bad = 0;
  std::uint64_t wanted = 0;
  double days = 0;
  [[nodiscard]] bool any() const { return bad > 0 || wanted > 0; }
};
Missing missing_of(std::uint64_t bad, std::uint64_t wanted, std::int64_t first, std::int64_t last);
/// "212 of 400 bad messages; the missing ones take about 6.5 days at the present rate"
std::string missing_text(std::uint64_t bad, std::uint64_t wanted, const Missing& missing);

}  // namespace shingled::milter::learning
