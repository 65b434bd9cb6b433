#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/random.h"
#include "config/metrics/instruments.h"
#include "storage/redis/counters/generation.h"

namespace shingled::storage::redis {

/// What is known of a counter besides what Redis says.
enum class Unsent : std::uint8_t {
  kAdded,      ///< all
  kReadAgain,  ///< what Redis said is too old
  kUnknown,    ///< some is on the disk alone
};

/// What this daemon has counted and Redis does not have yet, in memory and in the journal.
///
/// Calls go into the live generation, and before that into its log. From time to time it is sealed
/// and sent; when Redis has all of it, its log is removed. While Redis is away, full generations
/// wait on disk only. Beyond `journal_max` the oldest of them are lost.
///
/// Pairs are sent from the live generation at once, unless older ones wait: in each slot of the
/// cluster they must arrive in the order of their numbers.
/// Threads: any thread; those of the sender one thread.
class WaitingCounters {
 public:
  static constexpr std::size_t kGenerationKeysMax = 200'000;
  static constexpr std::size_t kPairsPerExchange = 500;
  static constexpr std::size_t kKeysPerExchange = 4000;
  static constexpr std::size_t kDoneMax = 4;  ///< sent generations that are still in memory

  using SlotOf = std::function<std::uint16_t(const counters::CounterKey&)>;
  struct Options {
    std::uint64_t journal_max = 0;  ///< bytes; 0 = no journal
    SlotOf slot_of;
  };
  /// Pairs or calls of one generation that are sent together.
  struct Batch {
    std::uint64_t writer = 0;
    std::vector<const PairDelta*> pairs;
    std::vector<Generation::Call*> calls;
    std::shared_ptr<Generation> generation;  ///< theirs
  };

  /// What the journal in `files` holds is to be sent first. `files` may be null without a journal.
  /// Errors: those of the FileSystem.
  static Result<std::unique_ptr<WaitingCounters>> open(FileSystem* files, Options options,
                                                       Random& random, Logger& logger);

  using Ticket = std::shared_ptr<PairTicket>;
  /// Takes a call; the ticket is null if it has no pairs. `wait` or `leave` must follow.
  /// Errors: kUnavailable (the journal cannot be written), kLimit. Then nothing was taken.
  Result<Ticket> add(const counters::PastAddition& past);
  Result<Ticket> add(std::span<const WaitingItem> items);
  /// Waits until the pairs of the ticket are in Redis, or wait in the journal, or the deadline.
  void wait(const Ticket& ticket, TimePoint deadline);
  /// The call returns. Pairs that are not in Redis then are owed.
  void leave(const Ticket& ticket);
  /// Whether a call has returned whose pairs are not in Redis, so that it does not know how many
  /// there are; read before Redis is asked.
  bool owes_pairs();

  /// The daemon in this run.
  [[nodiscard]] std::uint64_t writer() const { return writer_; }
  /// How many generations Redis has; read before Redis is asked.
  std::uint64_t finished();
  /// Adds to `entries`, which Redis had when `finished` was read and the calls up to `applied` had
  /// been made, what it did not have.
  Unsent add_unsent(const counters::CounterKey& key, std::uint64_t applied, std::uint64_t finished,
                    std::vector<counters::Entry>& entries);

  // The sender's.
  /// Makes the next generation ready to be sent, if none is: one of the journal, or the live one if
  /// `may_seal`; true if it was the live one. A log that cannot be read is tried again.
  Result<bool> prepare(bool may_seal);
  std::optional<Batch> next_pairs();
  /// Calls that are neither done nor taken before, and takes them. They may be sent when those
  /// taken before are settled as done.
  std::optional<Batch> next_calls();
  /// `is_done[i]`: Redis has pair (or call) i of the batch. Calls that are not done are not taken
  /// any more.
  void settle(const Batch& batch, const std::vector<bool>& is_done);
  /// Whether the live generation should be sent early.
  [[nodiscard]] bool is_large() const {
    return live_size_.load(std::memory_order_relaxed) >= kGenerationKeysMax / 2;
  }
  /// Whether Redis has all.
  [[nodiscard]] bool is_empty();
  /// Whether something is sealed.
  [[nodiscard]] bool is_sending();
  /// What is in the logs is on the disk afterwards.
  void sync();

  [[nodiscard]] std::uint64_t journal_bytes() const { return journal_bytes_gauge_.load(); }
  [[nodiscard]] std::uint64_t lost_bytes() const { return lost_bytes_.read(); }

 private:
  struct Stored {
    WaitingName name;
    std::uint64_t bytes = 0;
  };

  WaitingCounters(FileSystem* files, Options options, Random& random, Logger& logger);
  Status open_log() SHINGLED_REQUIRES(mutex_);
  void leave_log() SHINGLED_REQUIRES(mutex_);
  void settle_pairs(const Batch& batch, const std::vector<bool>& is_done) SHINGLED_REQUIRES(mutex_);
  void return_from(PairTicket& ticket) SHINGLED_REQUIRES(mutex_);
  void put_aside() SHINGLED_REQUIRES(mutex_);
  void keep_bound() SHINGLED_REQUIRES(mutex_);
  void note_bytes() SHINGLED_REQUIRES(mutex_);
  void finish_sending() SHINGLED_REQUIRES(mutex_);
  [[nodiscard]] std::uint64_t log_bytes_max() const { return options_.journal_max / 4; }

  FileSystem* const files_;
  const Options options_;
  Logger& logger_;
  const std::uint64_t writer_;
  Mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Generation> live_ SHINGLED_GUARDED_BY(mutex_);
  std::shared_ptr<WaitingLog> log_ SHINGLED_GUARDED_BY(mutex_);  ///< of `live_`; may be null
  std::shared_ptr<Generation> sending_ SHINGLED_GUARDED_BY(mutex_);
  /// Logs that are complete and not synced yet: of `sending_`, and of what is stored.
  std::shared_ptr<WaitingLog> sending_log_ SHINGLED_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<WaitingLog>> stored_logs_ SHINGLED_GUARDED_BY(mutex_);
  std::uint64_t sending_bytes_ SHINGLED_GUARDED_BY(mutex_) = 0;
  std::deque<Stored> stored_ SHINGLED_GUARDED_BY(mutex_);  ///< on disk alone, oldest first
  std::deque<std::shared_ptr<Generation>> done_ SHINGLED_GUARDED_BY(mutex_);
  std::uint64_t finished_ SHINGLED_GUARDED_BY(mutex_) = 0;
  std::uint64_t calls_ SHINGLED_GUARDED_BY(mutex_) = 0;
  std::size_t owed_ SHINGLED_GUARDED_BY(mutex_) = 0;  ///< pairs in memory whose call returned
  Outage overflow_ SHINGLED_GUARDED_BY(mutex_);
  std::atomic<std::size_t> live_size_{0};
  std::atomic<std::uint64_t> journal_bytes_gauge_{0};
  EventCount lost_bytes_;
};

}  // namespace shingled::storage::redis
