#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/counters/counter.h"
#include "storage/sqlite/people/people_table.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::storage::people {

using sqlite::ReportKind;
using sqlite::Standing;
/// What one person says of one message.
using Statement = sqlite::PeopleRow;

/// A sign of a message: a counter's key in 64 bits. `proved`: the From of the message was proved.
/// What is said of mail that anybody can have sent says nothing about a sender who proves himself,
/// so the two have different signs.
std::uint64_t sign_of(const counters::CounterKey& key, bool proved);

/// The most signs of a statement.
inline constexpr std::size_t kSignsMax = 1000;

/// A statement as it is found by one of its signs.
struct Voice {
  std::uint64_t person = 0;
  std::uint32_t time = 0;  ///< Unix seconds
  ReportKind kind = ReportKind::kSpam;
  Standing standing = Standing::kNewcomer;
  friend auto operator<=>(const Voice&, const Voice&) = default;
};
using Voices = std::vector<Voice>;

/// The most voices of a sign that an answer has. More people change nothing any more.
inline constexpr std::size_t kVoicesMax = 1000;
/// The most of newcomers among them, so that whoever makes up names does not push out residents.
inline constexpr std::size_t kNewcomerVoicesMax = 500;
static_assert(kNewcomerVoicesMax < kVoicesMax);

/// What people say of mail, by the signs of the messages. Unlike a counter it knows who said it, so
/// a person counts once over any window, and can take it back.
///
/// Statements are few and dear: they are kept for a year (`counters.keep_reports`).
/// Threads: any thread.
/// Source:  design, reports: people.
class PeopleStore {
 public:
  virtual ~PeopleStore() = default;

  /// Keeps a statement; an earlier one of the same person on the same message is gone. What
  /// returns without an error survives the end of the process. Signs beyond kSignsMax are left out.
  /// Errors: kUnavailable, kTimeout; then the old or the new statement stands, or signs of both.
  virtual Status say(const Statement& statement, TimePoint deadline) = 0;

  /// Takes back what a person said of a message; nothing happens if they said nothing.
  /// Errors: as `say`.
  virtual Status withdraw(std::uint64_t message, std::uint64_t person, TimePoint deadline) = 0;

  /// The voices of each sign, at most kVoicesMax, of newcomers at most kNewcomerVoicesMax.
  /// Errors: kUnavailable, kTimeout: nothing is known.
  virtual Result<std::vector<Voices>> ask(std::span<const std::uint64_t> signs,
                                          TimePoint deadline) = 0;

  virtual void report(MetricReport& report) const = 0;
};

/// What people said of a sign in a window. The last word of a person in the window counts.
struct PeopleSums {
  std::uint64_t complainers = 0;    ///< who say spam, as how many people they count
  std::uint64_t rescuers = 0;       ///< who say that it is wanted
  std::uint64_t own_complaint = 0;  ///< recipients of the message who say spam
  std::uint64_t own_rescue = 0;     ///< recipients who say that it is wanted
  std::uint64_t complaints = 0;     ///< statements that say spam, each
  std::uint64_t rescues = 0;
  friend bool operator==(const PeopleSums&, const PeopleSums&) = default;
};

/// As how many people somebody counts.
struct Weights {
  std::uint32_t trusted = 2;    ///< each trusted one
  bool newcomers_speak = true;  ///< newcomers alone are together one person, else nobody

  friend bool operator==(const Weights&, const Weights&) = default;
};

/// Sums the voices of a sign: sums[i] is that of windows[i]. A resident counts as one. Newcomers
/// are together one person, where nobody of standing says anything and no more of them say the
/// opposite; else they are nobody. A message has hundreds of signs, and rules add up what is said
/// of several: whoever makes up names must not reach the second person that most rules ask for.
/// `recipients`: the persons to whom the message goes, sorted. A pure function.
/// Cost: the voices are sorted once, then each window reads them.
void sum_voices(std::span<const Voice> voices, std::span<const counters::Window> windows,
                WallTime now, std::span<const std::uint64_t> recipients, const Weights& weights,
                std::span<PeopleSums> sums);

}  // namespace shingled::storage::people
