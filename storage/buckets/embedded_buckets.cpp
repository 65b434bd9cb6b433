#include "storage/buckets/embedded_buckets.h"

#include <algorithm>
#include <utility>

#include "config/metrics/metric_report.h"

namespace shingled::storage::buckets {

namespace {

BucketHashKey random_key(Random& random) {
  BucketHashKey key{};
  random.fill(key);
  return key;
}

}  // namespace

EmbeddedBuckets::EmbeddedBuckets(std::size_t most, Clock& clock, Random& random)
    : EmbeddedBuckets(most, BucketTable::Kept::kInMemory, clock, random) {}

EmbeddedBuckets::EmbeddedBuckets(std::size_t most, BucketTable::Kept kept, Clock& clock,
                                 Random& random)
    : clock_(clock), table_(most, random_key(random), kept) {}

Result<std::unique_ptr<EmbeddedBuckets>> EmbeddedBuckets::open(std::size_t most,
                                                               const std::string& path,
                                                               Clock& clock, Random& random,
                                                               Logger& logger) {
  std::unique_ptr<EmbeddedBuckets> store(
      new EmbeddedBuckets(most, BucketTable::Kept::kInFile, clock, random));
  auto flusher =
      BucketFlusher::open({.path = path, .rows_max = 2 * most}, store->table_, clock, logger);
  if (!flusher) return flusher.error();
  store->flusher_ = *std::move(flusher);
  return store;
}

BucketAnswer EmbeddedBuckets::take(std::span<const BucketDemand> demands, TimePoint /*deadline*/) {
  return table_.take(demands, clock_.now());
}

void EmbeddedBuckets::give_back(std::span<const BucketDemand> demands, const BucketAnswer& answer,
                                TimePoint /*deadline*/) {
  table_.give_back(demands, answer, clock_.now());
}

Result<std::vector<BucketState>> EmbeddedBuckets::list(std::string_view part, std::size_t most,
                                                       TimePoint /*deadline*/) {
  return table_.list(part, most, clock_.now());
}

Result<std::optional<BucketState>> EmbeddedBuckets::show(std::string_view key,
                                                         TimePoint /*deadline*/) {
  return table_.show(key, clock_.now());
}

Result<bool> EmbeddedBuckets::reset(std::string_view key, TimePoint /*deadline*/) {
  return table_.reset(key, clock_.now());
}

Status EmbeddedBuckets::set(std::string_view key, const LeakRate& rate, double drops,
                            TimePoint /*deadline*/) {
  const TimePoint now = clock_.now();
  table_.set(key, rate, LeakyBucket(now + rate.time_of(drops)), now);
  return {};
}

void EmbeddedBuckets::report(MetricReport& report) const {
  report.gauge({"shingled_buckets", "Leaky buckets in memory."}, std::uint64_t{table_.size()});
  constexpr MetricName kEvicted{"shingled_buckets_evicted",
                                "Buckets that were not empty when others took their place."};
  for (const auto& [type, count] : table_.evictions())
    report.counter(kEvicted, count, {{"type", type}});
}

namespace {

constexpr std::size_t kSweepRows = 20'000;  // rows of the file that a pass searches for empty ones
// A smaller change of the offset is drift of the clocks; the next write of a bucket corrects it.
constexpr std::chrono::seconds kJump{1};

std::int64_t count_of(WallMoment moment) { return moment.time_since_epoch().count(); }

Duration offset_of(WallMoment wall, TimePoint now) {
  return wall.time_since_epoch() - now.time_since_epoch();
}

}  // namespace

WallMoment system_wall() {
  return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

Result<std::unique_ptr<BucketFlusher>> BucketFlusher::open(const BucketFlusherOptions& options,
                                                           BucketTable& table, Clock& clock,
                                                           Logger& logger) {
  auto file = sqlite::BucketFile::open(options.path);
  if (!file) return file.error();
  std::unique_ptr<BucketFlusher> flusher(
      new BucketFlusher(options, *std::move(file), table, clock, logger));
  if (Status loaded = flusher->load(); !loaded) return loaded.error();
  flusher->task_.emplace("buckets", options.pause,
                         [self = flusher.get()](const std::stop_token&) { (void)self->save(); });
  return flusher;
}

BucketFlusher::BucketFlusher(const BucketFlusherOptions& options,
                             std::unique_ptr<sqlite::BucketFile> file, BucketTable& table,
                             Clock& clock, Logger& logger)
    : options_(options), table_(table), clock_(clock), logger_(logger) {
  disk_.lock()->file = std::move(file);
}

BucketFlusher::~BucketFlusher() {
  if (!task_) return;  // the file was not loaded, so there is nothing to save
  task_.reset();
  (void)save();
}

Status BucketFlusher::load() {
  auto disk = disk_.lock();
  const auto written_at = disk->file->written_at();
  if (!written_at) return written_at.error();
  const TimePoint now = clock_.now();
  // Both of the same moment: a large file takes seconds to read, which would look like a jump.
  const WallMoment wall_now = options_.wall();
  const std::int64_t wall = std::max(count_of(wall_now), *written_at);
  Status read = disk->file->read([&](const sqlite::BucketRow& row) {
    ++disk->rows_most;
    if (row.empty_at <= wall || row.room <= 0 || row.unit <= 0) return;
    const LeakRate rate = LeakRate::of(Duration(row.unit), Duration(row.room));
    const Duration left = std::min(Duration(row.empty_at - wall), rate.holding(kBurstsMax).room());
    table_.restore({row.key, rate, LeakyBucket(now + left)}, now);
  });
  disk->offset = offset_of(wall_now, now);
  // The time of day went back. Without this, rows that nobody touches would keep times that count
  // from the old time of day.
  if (count_of(wall_now) < *written_at) table_.mark_all();
  return read;
}

Status BucketFlusher::save() {
  auto disk = disk_.lock();
  Status done = save_all(*disk);
  if (!done) table_.mark_all();
  if (done) {
    if (disk->outage.end()) {
      logger_.info(LogLine("ratelimit_file_back").field("file", options_.path));
    }
  } else if (disk->outage.begin()) {
    logger_.error(LogLine("ratelimit_file_refused").field("reason", done.error().message));
  }
  return done;
}

Status BucketFlusher::save_all(Disk& disk) {
  const TimePoint now = clock_.now();
  const Duration offset = offset_of(options_.wall(), now);
  if (std::chrono::abs(offset - disk.offset) > kJump) table_.mark_all();
  disk.offset = offset;
  if (Status done = limit(disk); !done) return done;
  Changes changes;
  for (std::size_t shard = 0; shard < BucketTable::kShards; ++shard) {
    std::size_t at = 0;
    do {
      at = table_.collect(shard, at, now, changes);
      if (changes.size() < options_.slice_rows) continue;
      if (Status done = write(disk, changes); !done) return done;
    } while (at != 0);
  }
  if (!changes.empty()) {
    if (Status done = write(disk, changes); !done) return done;
  }
  return disk.file->sweep(kSweepRows, (now.time_since_epoch() + offset).count());
}

Status BucketFlusher::write(Disk& disk, Changes& changes) const {
  std::sort(changes.begin(), changes.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  std::vector<sqlite::BucketRow> rows;
  rows.reserve(changes.size());
  for (BucketTable::Change& change : changes) {
    const Duration empty_at = change.bucket.empty_at().time_since_epoch() + disk.offset;
    rows.push_back({std::move(change.key), empty_at.count(), change.rate.room().count(),
                    change.rate.time_of(1).count()});
  }
  changes.clear();
  disk.rows_most += rows.size();
  return disk.file->write(rows, (clock_.now().time_since_epoch() + disk.offset).count());
}

/// Evicted buckets stay in the file until they would be empty. If the file has too many rows, it is
/// cleared, and this same pass writes all buckets of the table.
Status BucketFlusher::limit(Disk& disk) const {
  if (disk.rows_most <= options_.rows_max) return {};
  const auto size = disk.file->size();
  if (!size) return size.error();
  disk.rows_most = *size;
  if (*size <= options_.rows_max) return {};
  disk.rows_most = 0;
  table_.mark_all();
  return disk.file->clear();
}

}  // namespace shingled::storage::buckets
