#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/metrics/instruments.h"
#include "config/options/counter_options.h"
#include "config/system/file_system.h"
#include "storage/counters/counter_store.h"
#include "storage/counters/timekeeper.h"
#include "storage/redis/counters/counter_sender.h"
#include "storage/redis/counters/read_cache.h"
#include "storage/redis/counters/scripted_route.h"
#include "storage/redis/counters/waiting_counters.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::storage::redis {

/// The counters that several daemons share in Redis or a Redis cluster.
///
/// `add` writes to the journal, so that nothing is lost with the process; then it waits until the
/// pairs of the call are in Redis, unless Redis is away. All else is sent `flush` later at the
/// latest; what this daemon has not sent yet is added to what it reads. While something waits in
/// the journal alone, after an outage or a restart, all counters are unknown. Each counts once,
/// whatever reply is lost. Without a journal
/// (`journal_max` 0) `add` is refused while Redis is away, and the end of the process loses what
/// was not sent.
///
/// Periods follow the clock of this daemon (counters/timekeeper.h). An addition that arrives when
/// its ten minutes are not kept any more counts for its day alone. Nothing is dropped for its age
/// unless it is over by the clock of Redis, too.
///
/// While Redis is away, all counters are unknown.
/// Threads: any thread; one inside, "counters-redis".
/// Cost:    `ask` is one round trip, in a cluster one for each server; an `add` with pairs shares
///          one with the other threads.
class SharedCounters final : public counters::CounterStore {
 public:
  static constexpr std::size_t kCacheCountersMax = 50'000;
  /// In one command, so that Redis is not kept busy by it.
  static constexpr std::size_t kReadKeysMax = 200;

  /// The first daemon that opens a journal's folder has it; the folder is made if needed. `mark`:
  /// of the key of the shingles. If the servers have another one, nothing is added and all is
  /// unknown.
  /// Errors: kUnavailable (another process has the journal; the disk), kDenied.
  static Result<std::unique_ptr<SharedCounters>> open(const SharedCounterOptions& options,
                                                      Clock& clock, Random& random, Logger& logger,
                                                      std::optional<std::uint64_t> mark = {});
  /// With a journal in these files, which nobody else uses.
  static Result<std::unique_ptr<SharedCounters>> open(const SharedCounterOptions& options,
                                                      std::unique_ptr<FileSystem> files,
                                                      Clock& clock, Random& random, Logger& logger,
                                                      std::optional<std::uint64_t> mark = {});
  /// Sends what waits, unless Redis is away.
  ~SharedCounters() override;
  SharedCounters(const SharedCounters&) = delete;
  SharedCounters& operator=(const SharedCounters&) = delete;
  SharedCounters(SharedCounters&&) = delete;
  SharedCounters& operator=(SharedCounters&&) = delete;

  /// Errors: also kInvalid for a pair whose shingles do not end with the same 16 bits (`pair_of`).
  Status add(const counters::Addition& addition, TimePoint deadline) override;
  Status settle(TimePoint deadline) override;
  counters::CounterAnswers ask(std::span<const counters::CounterKey> keys,
                               std::span<const counters::Window> windows,
                               TimePoint deadline) override;
  Result<std::vector<counters::Entry>> series(const counters::CounterKey& key,
                                              TimePoint deadline) override;
  /// Scans all keys of the database, after it has delivered.
  Result<std::unique_ptr<counters::CounterCursor>> scan() override;
  Status import(std::span<const counters::CounterSeries> counters, TimePoint deadline) override;
  Status learn(std::span<const counters::PastAddition> additions, TimePoint deadline) override;
  /// What other daemons have not sent yet stays.
  Status forget(std::span<const counters::CounterKey> keys, TimePoint deadline) override;
  /// Keeps nothing on the disk but what waits, which is compared when it is read.
  /// Errors: kInvalid (the servers have counters under another key).
  Status verify(const std::stop_token& stop) override;
  [[nodiscard]] counters::Slot present_slot() override;
  void report(MetricReport& report) const override;

  /// Sends all that waits now.
  /// Errors: kUnavailable, kTimeout; some may have been sent.
  Status deliver(TimePoint deadline) { return sender_->deliver(deadline); }

 private:
  using Entries = std::vector<counters::Entry>;

  SharedCounters(const SharedCounterOptions& options, std::optional<sqlite::FileLock> lock,
                 std::unique_ptr<FileSystem> files, Clock& clock, Logger& logger,
                 std::optional<std::uint64_t> mark);
  Status begin(Random& random);
  counters::Slot expiry_slot();
  Status add_and_deliver(std::span<const WaitingItem> items, TimePoint deadline);
  [[nodiscard]] Status check(const counters::Addition& addition) const;
  /// The entries of each counter; nullopt for what cannot be known.
  std::vector<std::optional<Entries>> read(std::span<const counters::CounterKey> keys,
                                           TimePoint deadline);
  std::vector<std::optional<ReadCounter>> fetch(std::span<const counters::CounterKey> keys,
                                                TimePoint deadline);
  void forget_read(const WaitingCounters::Batch& batch);
  [[nodiscard]] std::uint16_t slot_of(const counters::CounterKey& key) const;

  const SharedCounterOptions options_;
  std::optional<sqlite::FileLock> lock_;  ///< of the journal
  std::unique_ptr<FileSystem> files_;
  Clock& clock_;
  Logger& logger_;
  Guarded<counters::Timekeeper> time_;
  ScriptedRoute route_;
  ReadCache cache_;
  std::unique_ptr<WaitingCounters> waiting_;
  EventCount calls_;
  EventCount refused_;
  EventCount unknown_;
  EventCount cached_;
  std::unique_ptr<CounterSender> sender_;  ///< last: its thread uses all of the above
};

}  // namespace shingled::storage::redis
