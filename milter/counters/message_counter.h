#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/metrics/counter_table.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"
#include "config/options/counter_options.h"
#include "milter/counters/counted_keys.h"
#include "milter/counters/country_file.h"
#include "milter/counters/retry_memory.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "mime/pieces/piece_list.h"
#include "storage/counters/counter.h"
#include "storage/counters/counter_store.h"
#include "storage/people/people_store.h"

namespace shingled::milter::counters {

/// As what a message counts.
struct CountThresholds {
  CounterJudge judge = CounterJudge::kWithoutCounters;
  double ham_below = 1;
  std::optional<double> spam_from;  ///< nullopt = nothing is spam

  /// `actions`: of the milter, for the default of `spam_from`.
  static CountThresholds of(const CounterOptions& options, const ActionOptions& actions);
};

/// What each counter of a message grows by: mass 1, its recipients and bytes, and spam or ham or
/// neither. If something about the message is unknown (`Verdict::failed`), it is never ham;
/// one that was accepted whatever its score is never spam. Pure.
storage::counters::Amounts judged_amounts(const rules::Facts& facts, const rules::Verdict& verdict,
                                          const CountThresholds& thresholds,
                                          std::uint64_t recipients);

/// What was counted since the start. A new number needs a field and a line in `table`.
struct CountingEvents {
  EventCount messages;
  EventCount retries;
  EventCount pieces;
  EventCount dropped;
  EventCount refused_recipients;
  EventCount unknown;
  EventCount failures;

  static constexpr auto table() {
    using Counters = CountingEvents;
    return std::to_array<CounterLine<Counters, EventCount>>({
        {&Counters::messages, {"shingled_counting_messages", "Messages that were counted."}},
        {&Counters::retries,
         {"shingled_counting_retries",
          "Messages that came again after they were deferred; not counted again."}},
        {&Counters::pieces, {"shingled_counting_pieces", "Pieces of the messages counted."}},
        {&Counters::dropped,
         {"shingled_counting_pieces_dropped", "Pieces not counted: a bound was met."}},
        {&Counters::refused_recipients,
         {"shingled_counting_refused_recipients", "Recipients that the mail server refused."}},
        {&Counters::unknown,
         {"shingled_counting_pieces_unknown", "Pieces whose counters could not be asked."}},
        {&Counters::failures,
         {"shingled_counting_failures", "Messages and refusals that could not be counted."}},
    });
  }
};
static_assert(kHasWholeTable<CountingEvents>);

/// What outlives the settings: numbers for metrics, messages that were deferred, outages of the
/// store.
/// Threads: any thread.
struct CountingState {
  CountingEvents events;
  Histogram pieces{kLatencyShape};
  Histogram ask{kLatencyShape};
  Histogram add{kLatencyShape};
  RetryMemory retries;
  Guarded<Outage> asking;
  Guarded<Outage> adding;
  Guarded<Outage> people;

  void report(MetricReport& report) const;
};

/// Asks and adds for all messages of a daemon. It is an immutable snapshot of the settings; a
/// reload makes a new one with the same store and state.
///
/// A store that fails changes nothing about a message: it is logged once when it begins and once
/// when it ends, and counted.
/// Threads: any thread.
class MessageCounter {
 public:
  /// The name of the person to whom mail for an address goes, as reports have it. `address`: as in
  /// RCPT. Any thread.
  using PersonOf = std::function<std::uint64_t(std::string_view address)>;
  using TellName =
      std::function<void(PieceType type, std::uint64_t shingle, std::string_view text)>;

  struct Setup {
    CounterOptions options;
    CountThresholds thresholds;
    features::CounterNeeds needs;
    CounterKeyBytes site{};
    /// Called with the pieces of a message whose mass of the day has reached `names_mass`, after it
    /// was added; of a pair also its first piece with the unique type. Null = `counters.names` is
    /// off. Must not block.
    TellName name;
    /// Weak, so that a session that is open at the shutdown does not keep the files open.
    std::weak_ptr<storage::counters::CounterStore> store;
    std::shared_ptr<const CountryFile> countries = {};  ///< null = countries are not known
    /// What people said; null = it is not known.
    std::weak_ptr<storage::people::PeopleStore> people = {};
    PersonOf person = {};  ///< null = nobody's own mail is known
    storage::people::Weights weights = {};
  };

  /// All of them must outlive it.
  MessageCounter(Setup setup, const Clock& clock, Logger& logger, CountingState& state)
      : setup_(std::move(setup)),
        needs_(std::make_shared<const features::CounterNeeds>(setup_.needs)),
        asks_(asks_for(setup_.needs)),
        asks_people_(std::ranges::any_of(setup_.needs, &features::CounterNeed::said)),
        clock_(clock),
        logger_(logger),
        state_(state) {}

  [[nodiscard]] const CounterOptions& options() const { return setup_.options; }
  [[nodiscard]] const CountThresholds& thresholds() const { return setup_.thresholds; }
  [[nodiscard]] const storage::people::Weights& weights() const { return setup_.weights; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  /// Of a client, two letters; empty if it is not known.
  [[nodiscard]] std::string country_of(const std::optional<IpAddress>& client) const {
    const bool known = client && setup_.countries != nullptr;
    return known ? setup_.countries->country_of(*client) : std::string();
  }
  [[nodiscard]] CountingState& state() const { return state_; }

  /// The keys of some pieces, for the following.
  [[nodiscard]] std::vector<storage::counters::Pair> keys_of(
      std::span<const mime::Piece> pieces, storage::counters::Direction direction) const {
    return counters::keys_of(setup_.site, direction, pieces);
  }
  /// The persons to whom a message goes, sorted, each once; empty if nobody wants to know.
  [[nodiscard]] std::vector<std::uint64_t> persons_of(
      std::span<const std::string> recipients) const;
  /// What is known of the pieces that are needed, as it is now. Pieces without an answer are not
  /// known. `persons`: persons_of() the recipients. `proved`: the From of the message is.
  [[nodiscard]] rules::CounterFacts ask(std::span<const mime::Piece> pieces,
                                        std::span<const storage::counters::Pair> keys,
                                        TimePoint deadline,
                                        std::span<const std::uint64_t> persons = {},
                                        bool proved = false) const;
  [[nodiscard]] rules::CounterFacts ask(std::span<const mime::Piece> pieces,
                                        storage::counters::Direction direction,
                                        TimePoint deadline) const {
    return ask(pieces, keys_of(pieces, direction), deadline);
  }
  /// Adds to the counters of the pieces. False: nothing was added.
  [[nodiscard]] bool add(std::span<const mime::Piece> pieces,
                         std::span<const storage::counters::Pair> keys,
                         const storage::counters::Amounts& amounts) const;
  [[nodiscard]] bool add(std::span<const mime::Piece> pieces,
                         storage::counters::Direction direction,
                         const storage::counters::Amounts& amounts) const {
    return add(pieces, keys_of(pieces, direction), amounts);
  }

 private:
  /// Tells the names of frequent pieces.
  void name_pieces(std::span<const mime::Piece> pieces,
                   std::span<const storage::counters::Pair> keys,
                   storage::counters::CounterStore& store) const;
  /// Logs the beginning and the end of an outage.
  void log_outage(Guarded<Outage>& outage, const char* what, std::string_view error) const;

  /// Pieces of a message, with their keys.
  struct Asked {
    rules::CounterFacts facts;
    std::vector<storage::counters::CounterKey> keys;  ///< of facts.pieces
    bool counted = false;                             ///< some counter could be asked
  };
  void ask(const CounterAsk& what, std::span<const mime::Piece> pieces,
           std::span<const storage::counters::Pair> keys, TimePoint deadline, Asked& out) const;
  /// Adds what people said.
  void ask_people(std::span<const std::uint64_t> persons, bool proved, TimePoint deadline,
                  Asked& out) const;

  const Setup setup_;
  const std::shared_ptr<const features::CounterNeeds> needs_;
  const std::vector<CounterAsk> asks_;
  const bool asks_people_;  ///< a need wants what people said
  const Clock& clock_;
  Logger& logger_;
  CountingState& state_;
};

}  // namespace shingled::milter::counters
