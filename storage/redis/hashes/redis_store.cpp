#include "storage/redis/hashes/redis_store.h"

#include <atomic>
#include <utility>

#include "config/metrics/metric_report.h"
#include "storage/redis/hashes/cluster_sender.h"
#include "storage/redis/hashes/look_up.h"
#include "storage/redis/hashes/redis_writer.h"
#include "storage/redis/route/open_route.h"

namespace shingled::storage::redis {

namespace {

// A match above this probability prolongs the life of its record (PROTOCOL.md 5.5).
constexpr float kRefreshProbability = 0.9F;
constexpr float kShareWindow = 256;  // recent questions that count in `exact_share_`

std::unique_ptr<UpdateSender> sender_for(const SharedStoreOptions& options,
                                         const OpenRoute& writers) {
  const RedisOptions& redis = options.redis;
  ScriptContext context{.prefix = redis.prefix,
                        .expire = static_cast<std::uint32_t>(options.expire.count())};
  const ReplicaWait wait{redis.wait_replicas, redis.timeout / 2};
  if (writers.cluster != nullptr) {
    return std::make_unique<ClusterSender>(*writers.cluster, std::move(context), wait);
  }
  return std::make_unique<ScriptSender>(*writers.route, std::move(context), wait);
}

}  // namespace

class RedisStore::Impl {
 public:
  Impl(const SharedStoreOptions& options, std::unique_ptr<sqlite::UpdateJournal> journal,
       Clock& clock, Random& random, Logger& logger)
      : options_(options),
        clock_(clock),
        readers_(open_route(options.redis, options.redis.read_servers, RedisServers::Turn::kRound,
                            clock, logger)),
        writers_(open_route(options.redis, options.redis.write_servers,
                            RedisServers::Turn::kInOrder, clock, logger)),
        cache_(options.redis.cache_seconds, options.redis.cache_entries),
        writer_({.timeout = options.redis.timeout,
                 .queue_max = options.update_queue_max,
                 .journal_max = options.redis.journal_max,
                 .expire = options.expire,
                 .delivered = [this](const Digest& digest) { cache_.forget(digest); }},
                sender_for(options, writers_), std::move(journal), clock, random, logger) {}

  /// Returns nullopt if no server answered.
  [[nodiscard]] std::optional<std::vector<Found>> look_up(std::span<const Question> questions,
                                                          AskSlots ask_slots) {
    auto found = redis::look_up(*readers_.route, options_.redis.prefix, questions, ask_slots,
                                clock_.now() + options_.redis.timeout);
    if (found) return *std::move(found);
    misses_away_.fetch_add(questions.size(), std::memory_order_relaxed);
    return std::nullopt;
  }

  /// A separate round trip for the slots pays off while most questions have exact hits.
  [[nodiscard]] AskSlots ask_slots() const {
    return exact_share_.load(std::memory_order_relaxed) > 0.5F ? AskSlots::kIfNotExact
                                                               : AskSlots::kAtOnce;
  }
  void note_share(std::span<const Question> questions, std::span<const Found> found) {
    float share = exact_share_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (questions[i].shingles == nullptr) continue;
      share += ((found[i].exact ? 1.0F : 0.0F) - share) / kShareWindow;
    }
    exact_share_.store(share, std::memory_order_relaxed);  // a lost change does no harm
  }

  [[nodiscard]] MatchCache& cache() { return cache_; }
  [[nodiscard]] TimePoint now() const { return clock_.now(); }

  void submit(Update update, UpdateDone done) {
    if (!cache_.is_on()) return writer_.submit(update, std::move(done));
    const Digest digest = update.fingerprint.digest;
    writer_.submit(update, [this, digest, done = std::move(done)](const Status& outcome) {
      cache_.forget(digest);
      done(outcome);
    });
  }

  void refresh(const Question& question, const Match& match) {
    if (!options_.refresh_hits || match.probability() <= kRefreshProbability) return;
    writer_.refresh(match.digest, question.shingles);
  }

  RedisWriter& writer() { return writer_; }

  [[nodiscard]] RedisCounters counters() const {
    return {read_counters<RedisWriterCountersOf<std::uint64_t>>(writer_.counters()),
            readers_.route->is_up(), misses_away_.load()};
  }

 private:
  const SharedStoreOptions options_;
  Clock& clock_;
  // Two routes, because a server that does not accept updates can still answer questions.
  OpenRoute readers_;
  OpenRoute writers_;
  MatchCache cache_;
  RedisWriter writer_;  ///< below the members that it uses, so that it is destroyed before them
  std::atomic<std::uint64_t> misses_away_{0};
  std::atomic<float> exact_share_{0};  ///< of the recent questions with shingles
};

Result<std::unique_ptr<RedisStore>> RedisStore::open(const SharedStoreOptions& options,
                                                     Clock& clock, Random& random, Logger& logger) {
  std::unique_ptr<sqlite::UpdateJournal> journal;
  if (!options.journal.empty() && options.redis.journal_max > 0) {
    auto opened = sqlite::UpdateJournal::open(options.journal);
    if (!opened) return opened.error();
    journal = *std::move(opened);
  }
  return std::unique_ptr<RedisStore>(
      new RedisStore(std::make_unique<Impl>(options, std::move(journal), clock, random, logger)));
}

RedisStore::RedisStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RedisStore::~RedisStore() = default;

std::optional<Match> RedisStore::check(const Digest& digest, const Shingles* shingles,
                                       std::uint32_t now) const {
  const Question question{&digest, shingles};
  std::optional<Match> answer;
  (void)check_batch({&question, 1}, now, {&answer, 1});
  return answer;
}

bool RedisStore::check_batch(std::span<const Question> questions, std::uint32_t /*now*/,
                             std::span<std::optional<Match>> answers) const {
  MatchCache& cache = impl_->cache();
  const TimePoint now = impl_->now();
  struct Unknown {
    std::size_t place;
    std::uint64_t forgotten;
  };
  std::vector<Question> unknown;
  std::vector<Unknown> places;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    answers[i].reset();
    if (cache.is_on()) {
      if (const auto known = cache.find(questions[i], now)) {
        answers[i] = *known;
        continue;
      }
    }
    unknown.push_back(questions[i]);
    places.push_back({i, cache.is_on() ? cache.forgotten(*questions[i].digest) : 0});
  }
  if (unknown.empty()) return true;
  const auto found = impl_->look_up(unknown, impl_->ask_slots());
  if (!found) return false;
  impl_->note_share(unknown, *found);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    std::optional<Match>& answer = answers[places[i].place];
    answer = (*found)[i].exact ? (*found)[i].exact : (*found)[i].near;
    if (answer) impl_->refresh(unknown[i], *answer);
    if (cache.is_on()) cache.put(unknown[i], answer, now, places[i].forgotten);
  }
  return true;
}

std::vector<Match> RedisStore::check_all(const Fingerprint& fingerprint, std::uint32_t /*now*/,
                                         std::size_t most) const {
  const Question question{&fingerprint.digest,
                          fingerprint.shingles ? &*fingerprint.shingles : nullptr};
  const auto found = impl_->look_up({&question, 1}, AskSlots::kAtOnce);
  std::vector<Match> matches;
  if (!found) return matches;
  for (const auto& match : {found->front().exact, found->front().near}) {
    if (match && matches.size() < most) matches.push_back(*match);
  }
  return matches;
}

void RedisStore::submit(Update update, UpdateDone done) { impl_->submit(update, std::move(done)); }

std::uint64_t RedisStore::size() const { return impl_->writer().counters().count.load(); }

RedisCounters RedisStore::counters() const { return impl_->counters(); }

void RedisStore::report(MetricReport& report) const {
  const RedisCounters now = counters();
  report.gauge({"shingled_storage_records", "Hashes stored."}, size());
  report_counters<RedisWriterCountersOf<std::uint64_t>>(now, report);
  report.gauge({"shingled_redis_connected", "1 while a server can be asked."},
               std::uint64_t{now.connected ? 1U : 0U});
  report.counter(
      {"shingled_redis_misses_away", "Questions without an answer because Redis was away."},
      now.misses_away);
}

}  // namespace shingled::storage::redis
