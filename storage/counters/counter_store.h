#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "storage/counters/addition.h"
#include "storage/counters/counter.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::storage::counters {

/// What `ask` says.
struct CounterAnswers {
  std::size_t windows = 0;
  std::vector<Amounts> sums;  ///< of key k and window w at k * windows + w
  std::vector<bool> known;    ///< of each key: true = the sums of all its windows are right
  /// Of key k and window w at k * windows + w: the sum says nothing. Empty = none, or all of a key
  /// that is not known.
  std::vector<bool> lost{};

  [[nodiscard]] const Amounts& of(std::size_t key, std::size_t window) const {
    return sums[key * windows + window];
  }
  [[nodiscard]] bool is_known(std::size_t key, std::size_t window) const {
    return known[key] || (!lost.empty() && !lost[key * windows + window]);
  }
  void lose(std::size_t key, std::size_t window) {
    if (lost.empty()) {
      lost.resize(sums.size());
      for (std::size_t k = 0; k < known.size(); ++k)
        for (std::size_t w = 0; !known[k] && w < windows; ++w) lost[k * windows + w] = true;
    }
    known[key] = false;
    lost[key * windows + window] = true;
  }
  /// The sums of all windows of a key.
  [[nodiscard]] std::span<Amounts> of_key(std::size_t key) {
    return std::span(sums).subspan(key * windows, windows);
  }
};

/// A counter with all its entries, which are sorted by period, each period once.
struct CounterSeries {
  CounterKey key;
  std::vector<Entry> entries;
  friend bool operator==(const CounterSeries&, const CounterSeries&) = default;
};

/// Reads all counters of a store, each once, in no particular order. What is added meanwhile may be
/// missing. It keeps the files that it reads, so the store must outlive it.
/// Threads: one thread.
class CounterCursor {
 public:
  virtual ~CounterCursor() = default;
  /// The next counter; nullptr at the end. Valid until the next call.
  /// Errors: kCorrupt, kUnavailable, kTimeout; then there are no more.
  virtual Result<const CounterSeries*> next() = 0;
};

/// A file that cannot be read, or a part of it: some counters are unknown in windows that reach
/// into its periods.
struct CounterLoss {
  std::string file;   ///< its name now
  double share = 1;   ///< of its counters
  Day day_first = 0;  ///< of what it had
  Day day_last = 0;
  bool set_aside = false;  ///< false = it is in its place, or nowhere
  friend bool operator==(const CounterLoss&, const CounterLoss&) = default;
};

/// A call of `add` that is made later than it should have been.
struct PastAddition {
  Slot slot = 0;
  Addition addition;
};

/// The counters of one machine, or those that several daemons share.
///
/// A deadline bounds the wait for a peer; what happens in this process and on its disk takes no
/// notice of it.
/// Does not: know the text of a piece (PieceNames may) or who said something (storage/people);
/// count down, as a report that is taken back is answered by its opposite.
/// Threads: any thread.
/// Source:  COUNTERS.md.
class CounterStore {
 public:
  virtual ~CounterStore() = default;

  /// Adds in the present period. What returns without an error survives the end of the process.
  /// Errors: kUnavailable, kLimit (no room), kInvalid (more than kAdditionKeysMax keys). Then
  ///         nothing was added.
  virtual Status add(const Addition& addition, TimePoint deadline) = 0;

  /// Returns when what was added survives the end of the process. `add` of shared counters without
  /// a journal does not wait for that.
  /// Errors: kUnavailable, kTimeout.
  virtual Status settle(TimePoint /*deadline*/) { return {}; }

  /// The sums of some counters as they are now. A counter without entries is known; its sums are 0.
  virtual CounterAnswers ask(std::span<const CounterKey> keys, std::span<const Window> windows,
                             TimePoint deadline) = 0;

  /// All entries of one counter.
  /// Errors: kCorrupt, kUnavailable, kTimeout.
  virtual Result<std::vector<Entry>> series(const CounterKey& key, TimePoint deadline) = 0;

  /// Begins to read all counters that have entries.
  /// Errors: kUnavailable.
  virtual Result<std::unique_ptr<CounterCursor>> scan() = 0;

  /// Adds entries to counters as they are: nothing is counted besides (no unique types). All or
  /// nothing. Entries that are too old to be kept are left out.
  /// Errors: as `add`; kInvalid for a period in the future.
  virtual Status import(std::span<const CounterSeries> counters, TimePoint deadline) = 0;

  /// Adds what happened earlier, unique types included, all or nothing; what is too old to be kept
  /// is left out. Sorted by slot it is quickest.
  /// Errors: as `import`.
  virtual Status learn(std::span<const PastAddition> additions, TimePoint deadline) = 0;

  /// Removes counters with all that was added before.
  /// Errors: as `add`.
  virtual Status forget(std::span<const CounterKey> keys, TimePoint deadline) = 0;

  /// Compares all that the store keeps on its disk with its checksums. A store that keeps nothing
  /// there has nothing to compare.
  /// Errors: the first one: kCorrupt, kUnavailable; kTimeout (a stop was requested).
  virtual Status verify(const std::stop_token& stop) = 0;

  /// Like `verify`, but sets aside what is damaged or gone, so that the rest is whole again. What
  /// was there stays unknown.
  /// Errors: as `verify`; the disk.
  virtual Status repair(const std::stop_token& /*stop*/) { return {}; }

  /// What of the files cannot be read.
  [[nodiscard]] virtual std::vector<CounterLoss> losses() const { return {}; }

  [[nodiscard]] virtual Slot present_slot() = 0;

  /// Reports the metrics. Does not wait for a disk or a peer.
  virtual void report(MetricReport& report) const = 0;
};

}  // namespace shingled::storage::counters
