#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/options/storage_options.h"
#include "storage/engine/engine_counters.h"
#include "storage/engine/loader.h"
#include "storage/model/fuzzy_store.h"
#include "storage/model/replica.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::engine {

/// One stored hash with all that is known of it.
struct StoredHash {
  sqlite::FuzzyRow row;
  std::optional<Digest> companion = {};  ///< Update::companion
  std::uint32_t hits = 0;                ///< answers since the start
};

/// The embedded storage: an index in memory and an SQLite file. Its `open` loads the file into the
/// index. This class is the facade of the folder.
///
/// Invariants: an update that `submit` acknowledged is in the file (as firmly as
/// `storage.durability` says). The index holds nothing that the file does not have.
/// Does not: decide who may read or write, or how often (storage/access); send anything to mirrors
/// (storage/replication); compare texts, of which it has only digests and shingles.
/// Threads: any thread; one writer thread inside. `open` starts it. The destructor joins it after
/// everything queued is committed.
class Engine final : public FuzzyStore {
 public:
  /// Opens or creates the file and loads the index. Progress goes to `logger`.
  /// `watcher` learns how far the loading is, and may end it (kUnavailable).
  /// Errors: kUnavailable (locked, full disk), kDenied (permissions, read-only), kNotFound (the
  /// folder does not exist), kCorrupt (not a database, damaged), kInvalid (written by a newer
  /// version), kLimit (more hashes than the index or the memory can hold); each names the file.
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
  [[nodiscard]] bool takes_updates() const override;
  [[nodiscard]] std::vector<UpdateId> recent_updates() const override;
  [[nodiscard]] std::vector<std::uint64_t> recent_seals() const override;
  [[nodiscard]] std::uint64_t size() const override;
  void report(MetricReport& report) const override;

  /// A hash by its digest, also an expired one; nullopt if it is not stored.
  /// Errors: those of FuzzyTable.
  /// Cost:   opens the file once more and reads one row.
  [[nodiscard]] Result<std::optional<StoredHash>> find(const Digest& digest) const;
  /// How many hashes are on each list, in the order of flags.
  [[nodiscard]] std::vector<FlagTotals::Total> lists() const;

  /// Like `submit`, for a batch from a master: one transaction, all of it or nothing.
  void submit_batch(ReplicaBatch batch, UpdateDone done);
  /// Calls `watcher` after every commit, on the writer's thread; it must not block. An empty
  /// function stops that.
  void watch_commits(std::function<void()> watcher);
  /// Submits the updates and waits until all are committed.
  /// Errors: that of an update that was not committed.
  Status apply(std::span<const Update> updates);
  [[nodiscard]] EngineCounters counters() const;

 private:
  class Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Upper limit of `hashes_max`. The index has a million numbers more than this: a record that gets
/// other shingles has two numbers for a moment, and numbers are given out in blocks of one kind.
inline constexpr std::uint64_t kHashesMax = 66'000'000;

/// The memory that this process may use, in bytes: the memory of the machine, or less if a resource
/// limit or its control groups say so.
std::uint64_t memory_allowed();

/// How many hashes fit into three quarters of that memory: at least 1000, at most kHashesMax.
std::uint64_t hashes_within(std::uint64_t memory_bytes);

}  // namespace shingled::storage::engine
