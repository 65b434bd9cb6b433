#include "storage/counters/embedded/embedded_store.h"

#include <algorithm>
#include <utility>

#include "config/metrics/metric_report.h"
#include "storage/counters/counter_files.h"

namespace shingled::storage::counters {

namespace {

constexpr std::chrono::seconds kMaintainPause{5};
constexpr std::chrono::hours kBetweenLines{1};
constexpr std::chrono::hours kBetweenDamageLines{24};
/// Of files that were lost.
constexpr std::size_t kLossLinesMax = 20;

}  // namespace

Result<std::unique_ptr<EmbeddedCounterStore>> EmbeddedCounterStore::open(
    const EmbeddedCounterOptions& options, const Clock& clock, Logger& logger,
    std::optional<std::uint64_t> mark) {
  if (Status made = make_counter_folder(options.directory); !made) return made.error();
  auto store = open_without_threads(options, folder_files(options.directory), clock, logger, mark);
  if (!store) return store;
  EmbeddedCounterStore* const self = store->get();
  self->sync_task_.emplace("counters-sync", options.sync,
                           [self](const std::stop_token&) { self->sync(); });
  self->maintain_task_.emplace("counters", kMaintainPause,
                               [self](const std::stop_token& stop) { self->maintain(stop); });
  self->maintain_task_->wake();  // logs of before wait to be sealed
  return store;
}

Result<std::unique_ptr<EmbeddedCounterStore>> EmbeddedCounterStore::open_without_threads(
    const EmbeddedCounterOptions& options, std::unique_ptr<FileSystem> files, const Clock& clock,
    Logger& logger, std::optional<std::uint64_t> mark) {
  std::unique_ptr<EmbeddedCounterStore> store(
      new EmbeddedCounterStore(std::move(files), clock, logger));
  if (Status opened = store->open_counters(options, mark); !opened) return opened.error();
  store->log_losses();
  return store;
}

EmbeddedCounterStore::EmbeddedCounterStore(std::unique_ptr<FileSystem> files, const Clock& clock,
                                           Logger& logger)
    : files_(std::move(files)),
      clock_(clock),
      logger_(logger),
      damage_lines_(kBetweenDamageLines),
      early_lines_(kBetweenLines),
      shrunk_lines_(kBetweenLines) {}

Status EmbeddedCounterStore::open_counters(const EmbeddedCounterOptions& options,
                                           std::optional<std::uint64_t> mark) {
  const auto wake = [this] {
    if (maintain_task_) maintain_task_->wake();
  };
  auto counters = EmbeddedCounters::open(options, *files_, clock_, wake, mark);
  if (!counters) return counters.error();
  counters_ = *std::move(counters);
  return {};
}

EmbeddedCounterStore::~EmbeddedCounterStore() {
  if (maintain_task_) maintain_task_->request_stop();  // both end at the same time
  sync_task_.reset();
  maintain_task_.reset();
  if (counters_) sync();
}

void EmbeddedCounterStore::log_losses() {
  const EmbeddedCounterStatus status = counters_->status();
  for (std::size_t i = 0; i < std::min(status.lost.size(), kLossLinesMax); ++i)
    logger_.error(LogLine("counters_file_lost").field("reason", status.lost[i]));
  if (status.lost.size() > kLossLinesMax)
    logger_.error(LogLine("counters_files_lost").field("files", status.lost.size()));
  if (status.log_bytes_lost != 0)
    logger_.warning(LogLine("counters_log_bytes_lost").field("bytes", status.log_bytes_lost));
}

Status EmbeddedCounterStore::repair(const std::stop_token& stop) {
  Status done = log_outcome(changing_, counters_->repair(stop));
  log_damage();
  return done;
}

void EmbeddedCounterStore::log_damage() {
  const std::vector<CounterLoss> losses = counters_->losses();
  const bool is_due = damage_lines_.pass(clock_.now());
  std::vector<CounterLoss> told;
  {
    auto logged = damage_logged_.lock();
    for (const CounterLoss& loss : losses)
      if (is_due || std::ranges::find(*logged, loss) == logged->end()) told.push_back(loss);
    *logged = losses;
  }
  for (std::size_t i = 0; i < std::min(told.size(), kLossLinesMax); ++i)
    logger_.error(LogLine("counters_damaged")
                      .field("file", told[i].file)
                      .field("percent", std::max(1, static_cast<int>(told[i].share * 100)))
                      .field("from", date_text(told[i].day_first))
                      .field("until", date_text(told[i].day_last))
                      .field("meaning", "counters that it had are unknown in these periods"));
}

void EmbeddedCounterStore::log_limits() {
  const EmbeddedCounterStatus status = counters_->status();
  const auto log = [&](const char* event, std::uint64_t times, std::uint64_t& logged,
                       AtMostEvery& lines) {
    if (times == logged || !lines.pass(clock_.now())) return;
    logger_.warning(LogLine(event).field("times", times - logged));
    logged = times;
  };
  log("counters_memory_full", status.sealed_early, early_logged_, early_lines_);
  log("counters_disk_shrunk", status.shrunk, shrunk_logged_, shrunk_lines_);
}

Status EmbeddedCounterStore::log_outcome(Work& work, Status done) {
  if (done) {
    if (work.fails.load(std::memory_order_relaxed) && work.fails.exchange(false))
      logger_.info(LogLine("counters_work_again").field("work", work.name));
    return done;
  }
  // The caller's mistake, or the end of the program.
  const ErrorCode code = done.error().code;
  if (code == ErrorCode::kInvalid || code == ErrorCode::kTimeout) return done;
  work.failures.add();
  if (!work.fails.exchange(true))
    logger_.error(
        LogLine("counters_fail").field("work", work.name).field("reason", done.error().message));
  return done;
}

Status EmbeddedCounterStore::add(const Addition& addition, TimePoint /*deadline*/) {
  const TimePoint begun = clock_.now();
  Status done = log_outcome(adding_, counters_->add(addition));
  add_time_.observe(clock_.now() - begun);
  return done;
}

CounterAnswers EmbeddedCounterStore::ask(std::span<const CounterKey> keys,
                                         std::span<const Window> windows, TimePoint /*deadline*/) {
  const TimePoint begun = clock_.now();
  CounterAnswers answers = counters_->ask(keys, windows);
  const TimePoint end = clock_.now();
  ask_time_.observe(end - begun);
  const auto unknown = std::count(answers.known.begin(), answers.known.end(), false);
  if (unknown != 0) unknown_.add(static_cast<std::uint64_t>(unknown));
  return answers;
}

Result<std::vector<Entry>> EmbeddedCounterStore::series(const CounterKey& key,
                                                        TimePoint /*deadline*/) {
  return counters_->series(key);
}

Result<std::unique_ptr<CounterCursor>> EmbeddedCounterStore::scan() { return counters_->scan(); }

Status EmbeddedCounterStore::import(std::span<const CounterSeries> counters,
                                    TimePoint /*deadline*/) {
  return log_outcome(changing_, counters_->import(counters));
}

Status EmbeddedCounterStore::learn(std::span<const PastAddition> additions,
                                   TimePoint /*deadline*/) {
  return log_outcome(changing_, counters_->learn(additions));
}

Status EmbeddedCounterStore::forget(std::span<const CounterKey> keys, TimePoint /*deadline*/) {
  return log_outcome(changing_, counters_->forget(keys));
}

void EmbeddedCounterStore::sync() { static_cast<void>(log_outcome(syncing_, counters_->sync())); }

void EmbeddedCounterStore::maintain(const std::stop_token& stop) {
  static_cast<void>(log_outcome(maintaining_, counters_->maintain(stop)));
  log_damage();
  log_limits();
}

void EmbeddedCounterStore::report(MetricReport& report) const {
  const EmbeddedCounterStatus status = counters_->status();
  report.gauge({"shingled_counters_live", "Counters of the running ten minutes, in memory."},
               status.live_counters);
  report.gauge({"shingled_counters_memory_bytes", "Memory of counters that are not sealed yet."},
               status.memory_bytes);
  report.gauge({"shingled_counters_files", "Sealed files."}, status.files);
  report.gauge({"shingled_counters_rows", "Counters in sealed files; one in two counts twice."},
               status.rows);
  report.gauge({"shingled_counters_disk_bytes", "Bytes of sealed files."}, status.disk_bytes);
  report.gauge({"shingled_counters_unsealed", "Tables in memory that wait to be sealed."},
               status.tables_unsealed);
  report.gauge({"shingled_counters_forgotten", "Forgotten counters that are still in files."},
               status.forgotten);
  report.gauge({"shingled_counters_files_lost", "Sealed files that are gone or cannot be opened."},
               status.files_lost);
  report.gauge({"shingled_counters_files_damaged", "Sealed files found damaged in a merge."},
               status.files_damaged);
  report.counter({"shingled_counters_logs_lost", "Logs that could not be read at the start."},
                 status.logs_lost);
  report.counter({"shingled_counters_log_bytes_lost",
                  "Bytes of logs that were in no whole record at the start."},
                 status.log_bytes_lost);
  report.counter({"shingled_counters_sealed_early",
                  "Tables that counters.memory_max ended before their ten minutes."},
                 status.sealed_early);
  report.counter(
      {"shingled_counters_shrunk", "Times that counters.disk_max cost periods or rare counters."},
      status.shrunk);
  report.counter({"shingled_counters_unknown", "Counters asked for that could not be known."},
                 unknown_.read());
  for (const Work* work : {&adding_, &changing_, &syncing_, &maintaining_})
    report.counter({"shingled_counters_failures", "Calls that failed, by what they do."},
                   work->failures.read(), {{"work", std::string(work->name)}});
  report.histogram({"shingled_counters_ask_seconds", "Time to ask for the pieces of a message."},
                   ask_time_.read());
  report.histogram({"shingled_counters_add_seconds", "Time to add the pieces of a message."},
                   add_time_.read());
}

}  // namespace shingled::storage::counters
