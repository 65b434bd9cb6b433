#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/redis_options.h"
#include "storage/model/fuzzy_store.h"
#include "storage/redis_store/redis_counters.h"

namespace shingled::storage::redis_store {

/// What the store needs to know besides how to reach Redis.
struct SharedStoreOptions {
  RedisOptions redis;
  std::chrono::seconds expire{0};  ///< 0 = never
  std::string journal;             ///< file of the journal; empty = none
  std::uint32_t update_queue_max = 65'536;
  bool refresh_hits = true;  ///< what was found lives on; false for those who only read
};

/// The storage in a Redis database, which several daemons share, rspamd's among them: rspamd's own
/// layout, byte for byte (SCHEMA.md). The facade of this folder.
///
/// A batch of questions costs one round trip, and one more when likenesses were found; while most
/// are known exactly, one more for those that are not. While no server is there every question goes
/// unanswered at once, and updates wait in a journal on the disk. Invariant: an update is
/// acknowledged after Redis has answered or the journal has it; how long it lives in Redis is
/// Redis's own matter (appendfsync). Each counts once. With a cache an answer may be as old as
/// `cache_seconds`; what went through this store itself is seen at once by its digest.
/// Threads: any thread; one writer thread inside.
class RedisStore final : public FuzzyStore {
 public:
  /// Errors: those of UpdateJournal::open; none when no server is there: it may come.
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
  /// Adds minus deletes, by everybody, as of a few seconds ago.
  [[nodiscard]] std::uint64_t size() const override;

  void report(MetricReport& report) const override;
  [[nodiscard]] RedisCounters counters() const;

 private:
  class Impl;
  explicit RedisStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace shingled::storage::redis_store
