#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/redis_options.h"
#include "storage/model/fuzzy_store.h"
#include "storage/redis/hashes/redis_writer.h"

namespace shingled::storage::redis {

/// The options of the store.
struct SharedStoreOptions {
  RedisOptions redis;
  std::chrono::seconds expire{0};  ///< 0 = hashes never expire
  std::string journal;             ///< file of the journal; empty = no journal
  std::uint32_t update_queue_max = 65'536;
  bool refresh_hits = true;  ///< a hit prolongs the life of a record; false for read-only users
};

/// The storage in a Redis database that several daemons share, also with rspamd: it has rspamd's
/// layout, byte for byte (SCHEMA.md). The facade of this folder.
///
/// A batch of questions costs one round trip, and one more if near matches were found. While most
/// questions have exact hits, the others cost one more. While no server is there, questions get no
/// answer at once, and updates wait in a journal on the disk. With a cache, an answer may be as old
/// as `cache_seconds`; updates through this store are seen at once by their digest.
///
/// Invariant: an update is acknowledged after Redis has answered or the journal has it, and each
/// update counts once. Whether Redis keeps it after a crash depends on its settings (appendfsync).
/// Threads: any thread; one writer thread inside.
class RedisStore final : public FuzzyStore {
 public:
  /// Errors: those of UpdateJournal::open. A server that is away is no error; it may come later.
  static Result<std::unique_ptr<RedisStore>> open(const SharedStoreOptions& options, Clock& clock,
                                                  Random& random, Logger& logger);
  ~RedisStore() override;
  RedisStore(const RedisStore&) = delete;
  RedisStore& operator=(const RedisStore&) = delete;
  RedisStore(RedisStore&&) = delete;
  RedisStore& operator=(RedisStore&&) = delete;

  [[nodiscard]] std::optional<Match> check(const Digest& digest, const Shingles* shingles,
                                           std::uint32_t now) const override;
  [[nodiscard]] bool check_batch(std::span<const Question> questions, std::uint32_t now,
                                 std::span<std::optional<Match>> answers) const override;
  [[nodiscard]] std::vector<Match> check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                             std::size_t most) const override;
  void submit(Update update, UpdateDone done) override;
  /// Adds minus deletes of all daemons, a few seconds old.
  [[nodiscard]] std::uint64_t size() const override;

  void report(MetricReport& report) const override;
  [[nodiscard]] RedisCounters counters() const;

 private:
  class Impl;
  explicit RedisStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::storage::redis
