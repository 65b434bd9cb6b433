#pragma once

#include <functional>
#include <memory>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/storage_options.h"
#include "storage/engine/engine_counters.h"
#include "storage/engine/loader.h"
#include "storage/model/fuzzy_store.h"
#include "storage/model/replica.h"

namespace shingled::storage::engine {

/// The embedded storage: an index in memory over an SQLite file. The facade of this folder.
///
/// Invariants: what `submit` acknowledged is in the file (durability as configured); the index
/// never holds what the file does not, except updates under way that no one was promised; opening
/// replays the file into the index.
/// Threads: any thread; one writer thread inside, started by `open`, joined by the destructor after
/// it has committed everything queued.
class Engine final : public FuzzyStore {
 public:
  /// Opens or creates the file and loads the index (progress to `logger`).
  /// Errors: kUnavailable (locked, full disk), kDenied (permissions, read-only), kNotFound (no such
  /// folder), kCorrupt (no database, damaged), kInvalid (written by a newer version), kLimit (more
  /// than index or memory hold); each names the file.
  /// `watcher` hears how far the loading is, and may end it (kUnavailable).
  static Result<std::unique_ptr<Engine>> open(const EngineOptions& options, Clock& clock,
                                              Logger& logger, const LoadWatcher& watcher = {});
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) = delete;
  Engine& operator=(Engine&&) = delete;

  [[nodiscard]] std::optional<Match> check(const Digest& digest, const Shingles* shingles,
                                           std::uint32_t now) const override;
  [[nodiscard]] bool check_batch(std::span<const Question> questions, std::uint32_t now,
                                 std::span<std::optional<Match>> answers) const override;
  [[nodiscard]] std::vector<Match> check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                             std::size_t most) const override;
  [[nodiscard]] std::vector<HitCount> most_hit(std::size_t most) const override;
  void submit(Update update, UpdateDone done) override;
  [[nodiscard]] std::vector<UpdateName> recent_updates() const override;
  [[nodiscard]] std::vector<std::uint64_t> recent_seals() const override;
  [[nodiscard]] std::uint64_t size() const override;
  void report(MetricReport& report) const override;

  /// What a master says, as `submit`: one transaction, all of it or nothing.
  void submit_batch(ReplicaBatch batch, UpdateDone done);
  /// Calls `watcher` after every commit, on the writer's thread; it must not block. Empty = nobody.
  void watch_commits(std::function<void()> watcher);
  /// Submits and waits for the commit of all of them.
  Status apply(std::span<const Update> updates);
  [[nodiscard]] EngineCounters counters() const;

 private:
  class Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::storage::engine
