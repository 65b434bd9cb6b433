#include "storage/engine/engine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "config/base/guarded.h"
#include "storage/engine/engine_counters.h"
#include "storage/engine/fuzzy_index.h"
#include "storage/engine/loader.h"
#include "storage/engine/writer.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::engine {

class Engine::Impl {
 public:
  /// Updates that were committed before the file was opened.
  struct Recent {
    std::vector<UpdateId> updates;
    std::vector<std::uint64_t> seals;
  };
  Impl(Recent recent, std::unique_ptr<FuzzyIndex> index, std::unique_ptr<Writer> writer,
       Clock& clock)
      : recent_(std::move(recent)),
        index_(std::move(index)),
        writer_(std::move(writer)),
        clock_(clock) {}

  void check_batch(std::span<const Question> questions, std::uint32_t now,
                   std::span<std::optional<Match>> answers) {
    const TimePoint begun = clock_.now();
    index_->check_batch(questions, now, answers);
    check_time_.observe(clock_.now() - begun);
    check_size_.observe(questions.size());
  }
  void report_checks(MetricReport& report) const {
    report.histogram({"shingled_storage_check_seconds", "Time of the look-ups of one batch."},
                     check_time_.read());
    report.histogram({"shingled_storage_check_questions", "Questions in one batch."},
                     check_size_.read());
  }

  [[nodiscard]] const Recent& recent() const { return recent_; }
  [[nodiscard]] const FuzzyIndex& index() const { return *index_; }
  [[nodiscard]] Writer& writer() { return *writer_; }

 private:
  Recent recent_;
  std::unique_ptr<FuzzyIndex> index_;
  std::unique_ptr<Writer> writer_;  ///< destroyed first: it uses the index
  Clock& clock_;
  Histogram check_time_{kLatencyShape};
  Histogram check_size_{kSizeShape};
};

Result<std::unique_ptr<Engine>> Engine::open(const EngineOptions& wanted, Clock& clock,
                                             Logger& logger, const LoadWatcher& watcher) {
  EngineOptions options = wanted;
  if (options.hashes_max == 0) {
    options.hashes_max = static_cast<std::uint32_t>(hashes_within(memory_allowed()));
  }
  auto table = sqlite::FuzzyTable::open_owned(options.hashfile, options.durability);
  if (!table) return table.error();
  auto index = std::make_unique<FuzzyIndex>(
      FuzzyIndex::Options{.slot_owners_max = options.slot_owners_max,
                          .expire_seconds = static_cast<std::uint32_t>(options.expire.count())});
  const TimePoint begun = clock.now();
  if (Status loaded = load(**table, *index, watcher, logger); !loaded) return loaded.error();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - begun);
  logger.info(LogLine("storage_open")
                  .field("file", options.hashfile)
                  .field("records", index->size())
                  .field("hashes_max", options.hashes_max)
                  .field("ms", took.count()));
  const auto now = unix_seconds(clock.wall());
  if (Status journal = (*table)->keep_journal(options.journal_max); !journal) {
    return journal.error();
  }
  sqlite::UpdateIds& names = (*table)->update_ids();
  names.keep(options.repeats);
  auto updates = names.read(now - std::min(now, kRepeatSeconds));
  if (!updates) return updates.error();
  const auto window = static_cast<std::uint32_t>(options.repeats.window.count());
  auto seals = names.read_seals(now - std::min(now, window));
  if (!seals) return seals.error();
  auto checkpointer = Checkpointer::open(options.hashfile);
  if (!checkpointer) return checkpointer.error();
  (*table)->database().leave_checkpoints();
  auto writer = std::make_unique<Writer>(options, *index, *std::move(table),
                                         *std::move(checkpointer), clock, logger);
  return std::unique_ptr<Engine>(
      new Engine(std::make_unique<Impl>(Impl::Recent{*std::move(updates), *std::move(seals)},
                                        std::move(index), std::move(writer), clock)));
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

std::optional<Match> Engine::check(const Digest& digest, const Shingles* shingles,
                                   std::uint32_t now) const {
  return impl_->index().check(digest, shingles, now);
}

bool Engine::check_batch(std::span<const Question> questions, std::uint32_t now,
                         std::span<std::optional<Match>> answers) const {
  impl_->check_batch(questions, now, answers);
  return true;
}

bool Engine::takes_updates() const { return impl_->writer().takes_updates(); }

std::vector<HitCount> Engine::most_hit(std::size_t most) const {
  return impl_->index().most_hit(most);
}

std::vector<Match> Engine::check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                     std::size_t most) const {
  return impl_->index().check_all(fingerprint, now, most);
}

void Engine::submit(Update update, UpdateDone done) {
  impl_->writer().submit(update, std::move(done));
}

void Engine::submit_batch(ReplicaBatch batch, UpdateDone done) {
  impl_->writer().submit(std::move(batch), std::move(done));
}

void Engine::watch_commits(std::function<void()> watcher) {
  impl_->writer().watch_commits(std::move(watcher));
}

std::vector<UpdateId> Engine::recent_updates() const { return impl_->recent().updates; }
std::vector<std::uint64_t> Engine::recent_seals() const { return impl_->recent().seals; }

std::uint64_t Engine::size() const { return impl_->index().size(); }

Result<std::optional<StoredHash>> Engine::find(const Digest& digest) const {
  const auto place = impl_->index().place_of(digest);
  if (!place) return std::optional<StoredHash>();
  auto table = sqlite::FuzzyTable::open_for_rows(impl_->writer().hashfile());
  if (!table) return table.error();
  auto row = (*table)->row(place->row);
  const bool gone = row ? row->digest != digest : row.error().code == ErrorCode::kNotFound;
  if (gone) return std::optional<StoredHash>();
  if (!row) return row.error();
  const auto companion = (*table)->companion(place->row);
  if (!companion) return companion.error();
  return std::optional(StoredHash{*std::move(row), *companion, place->hits});
}

std::vector<FlagTotals::Total> Engine::lists() const {
  return impl_->index().records().flag_totals().read();
}

Status Engine::apply(std::span<const Update> updates) {
  // In portions, so that a long list does not fill the queue.
  constexpr std::size_t kPortion = 1024;
  for (; !updates.empty(); updates = updates.subspan(std::min(kPortion, updates.size()))) {
    struct Progress {
      std::size_t waiting = 0;
      Status worst{};
    };
    const auto portion = updates.first(std::min(kPortion, updates.size()));
    Guarded<Progress> guarded(std::in_place, Progress{.waiting = portion.size()});
    std::condition_variable changed;
    for (const Update& update : portion) {
      submit(update, [&](const Status& outcome) {
        auto progress = guarded.lock();
        if (!outcome) progress->worst = outcome;
        if (--progress->waiting == 0) changed.notify_one();
      });
    }
    auto progress = guarded.lock();
    changed.wait(progress.as_lock(), [&] { return progress->waiting == 0; });
    if (!progress->worst) return progress->worst;
  }
  return {};
}

EngineCounters Engine::counters() const {
  return {read_counters<WriterCountersOf<std::uint64_t>>(impl_->writer().counters()), size(),
          impl_->index().slot_overflows(), impl_->writer().updates_waiting()};
}

void Engine::report(MetricReport& report) const {
  report_engine(counters(), impl_->index().records().flag_totals().read(), report);
  impl_->report_checks(report);
  report_writer(impl_->writer().counters(), report);
  report_files(impl_->writer().hashfile(), report);
}

namespace {

/// Measured with a million hashes with shingles: 390 bytes of memory per hash.
constexpr std::uint64_t kHashBytes = 400;
constexpr std::uint64_t kHashesMin = 1000;

std::uint64_t limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

/// The smallest `memory.max` of the process's control group (version 2) and the groups around it.
/// systemd sets it from MemoryMax.
std::uint64_t control_group_limit() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::ifstream groups("/proc/self/cgroup");
  std::uint64_t least = UINT64_MAX;
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    for (std::filesystem::path group = line.substr(4);; group = group.parent_path()) {
      std::ifstream file(root / group / "memory.max");
      std::uint64_t bytes = 0;
      if (file >> bytes) least = std::min(least, bytes);  // "max" is not a number
      if (group.empty()) break;
    }
  }
  return least;
}

std::uint64_t machine_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

}  // namespace

std::uint64_t memory_allowed() {
  return std::min(
      {machine_memory(), limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA), control_group_limit()});
}

std::uint64_t hashes_within(std::uint64_t memory_bytes) {
  return std::clamp(memory_bytes / 4 * 3 / kHashBytes, kHashesMin, kHashesMax);
}

}  // namespace shingled::storage::engine
