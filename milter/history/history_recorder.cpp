#include "milter/history/history_recorder.h"

#include <algorithm>
#include <iterator>
#include <stop_token>
#include <utility>

#include "config/metrics/metric_report.h"
#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter_files.h"
#include "storage/counters/counter_key.h"

namespace shingled::milter::history {

using storage::counters::Timekeeper;

namespace {

constexpr std::chrono::seconds kWritePause{1};
constexpr std::chrono::seconds kTrimPause{30};
constexpr std::size_t kTrimmedAtOnce = 5000;
constexpr std::int64_t kSecond = 1'000'000;  // of the time of a row

std::int64_t row_time(WallTime time) { return time.time_since_epoch().count() * kSecond; }

}  // namespace

Result<std::unique_ptr<HistoryRecorder>> HistoryRecorder::open(const Setup& setup,
                                                               const Clock& clock, Logger& logger) {
  auto recorder = open_without_thread(setup, clock, logger);
  if (recorder) {
    (*recorder)->task_.emplace(
        "history", kWritePause,
        [self = recorder->get()](const std::stop_token&) { static_cast<void>(self->write()); });
  }
  return recorder;
}

Result<std::unique_ptr<HistoryRecorder>> HistoryRecorder::open_without_thread(const Setup& setup,
                                                                              const Clock& clock,
                                                                              Logger& logger) {
  auto table = storage::sqlite::HistoryTable::open(setup.options.file);
  if (!table) return table.error();
  const auto newest = (*table)->newest();
  if (!newest) return newest.error();
  // So a clock that is wrong since the start of the machine is doubted, too.
  const Timekeeper time(Timekeeper::State{*newest / kSecond, 0});
  return std::unique_ptr<HistoryRecorder>(
      new HistoryRecorder(*std::move(table), time, setup, clock, logger));
}

HistoryRecorder::HistoryRecorder(std::unique_ptr<storage::sqlite::HistoryTable> table,
                                 const Timekeeper& time, const Setup& setup, const Clock& clock,
                                 Logger& logger)
    : site_(setup.site), feed_(setup.feed), clock_(clock), logger_(logger) {
  use(setup.options);
  auto disk = disk_.lock();
  disk->table = std::move(table);
  disk->time = time;
}

HistoryRecorder::~HistoryRecorder() {
  task_.reset();
  static_cast<void>(write());
}

void HistoryRecorder::use(const HistoryOptions& options) {
  *bounds_.lock() = {options.keep, options.act_for, options.bytes_max};
}

void HistoryRecorder::record(const JudgedMessage& message) noexcept {
  try {
    take_row(row_of(message, site_, row_time(clock_.wall())));
  } catch (...) {  // memory
    events_.dropped.add();
  }
}

void HistoryRecorder::take_row(storage::sqlite::HistoryRow row) {
  const bool is_wanted = feed_ != nullptr && feed_->is_wanted();
  storage::sqlite::HistoryRow shown;
  const bool is_kept = !row.kept.empty();
  {
    auto waiting = waiting_.lock();
    Batch& batch = waiting->batch;
    const std::uint64_t bytes = row.details.size() + row.kept.size() + row.queue_id.size() +
                                row.sender_name.size() + row.recipients.size() +
                                row.subject.size() + sizeof row;
    if (batch.rows.size() + waiting->writing_rows >= kWaitingMax ||
        batch.bytes + waiting->writing_bytes + bytes > kWaitingBytesMax)
      return note_dropped(*waiting);
    // Messages of one second follow each other.
    if (waiting->last >= row.time && waiting->last - row.time < kSecond)
      row.time = waiting->last + 1;
    waiting->last = row.time;
    if (is_wanted) shown = RowFeed::without_kept(row);
    batch.bytes += bytes;
    batch.rows.push_back(std::move(row));
    if (batch.rows.size() == kWakeAt && task_) task_->wake();
  }
  if (is_wanted) feed_->give(std::move(shown), is_kept);
}

void HistoryRecorder::label(std::uint64_t message, Label label) noexcept {
  if (message == 0) return;
  try {
    auto waiting = waiting_.lock();
    if (waiting->batch.labels.size() + waiting->writing_labels >= kWaitingMax)
      return note_dropped(*waiting);
    waiting->batch.labels.push_back({message, static_cast<std::uint8_t>(label)});
  } catch (...) {  // memory
    events_.dropped.add();
  }
}

void HistoryRecorder::note_dropped(Waiting& waiting) {
  events_.dropped.add();
  if (waiting.dropping.begin()) {
    logger_.error(LogLine("history_dropped")
                      .field("why", "messages come faster than the file takes them")
                      .field("waiting", waiting.batch.rows.size()));
  }
}

Status HistoryRecorder::write() {
  auto disk = disk_.lock();
  Status done = write_batch(*disk);
  if (done) done = trim(*disk);
  if (done) {
    if (disk->outage.end()) logger_.info(LogLine("history_written_again"));
    return done;
  }
  events_.failures.add();
  if (disk->outage.begin()) {
    logger_.error(LogLine("history_refused")
                      .field("reason", done.error().message)
                      .field("mail", "goes on without it"));
  }
  return done;
}

Status HistoryRecorder::write_batch(Disk& disk) {
  Batch batch = begin_writing();
  if (batch.rows.empty() && batch.labels.empty() && disk.again.empty()) return {};
  const auto written = disk.table->write(batch.rows, batch.labels, disk.again);
  if (!written) {
    put_back(std::move(batch));
    return written.error();
  }
  disk.again = std::move(batch.labels);
  events_.messages.add(batch.rows.size());
  events_.labels.add(*written);
  auto waiting = waiting_.lock();
  waiting->writing_rows = waiting->writing_labels = waiting->writing_bytes = 0;
  waiting->dropping.end();
  return {};
}

HistoryRecorder::Batch HistoryRecorder::begin_writing() {
  auto waiting = waiting_.lock();
  waiting->writing_rows = waiting->batch.rows.size();
  waiting->writing_labels = waiting->batch.labels.size();
  waiting->writing_bytes = waiting->batch.bytes;
  return std::exchange(waiting->batch, {});
}

void HistoryRecorder::put_back(Batch batch) {
  auto waiting = waiting_.lock();
  waiting->writing_rows = waiting->writing_labels = waiting->writing_bytes = 0;
  Batch& since = waiting->batch;
  batch.bytes += since.bytes;
  std::ranges::move(since.rows, std::back_inserter(batch.rows));
  batch.labels.insert(batch.labels.end(), since.labels.begin(), since.labels.end());
  since = std::move(batch);
}

Status HistoryRecorder::trim(Disk& disk) {
  const TimePoint now = clock_.now();
  if (disk.trimmed && now - *disk.trimmed < kTrimPause) return {};
  const Bounds bounds = *bounds_.lock();
  const WallTime wall = disk.time.now(clock_.wall(), now);
  const bool expires = disk.time.may_expire();
  const auto trimmed =
      disk.table->trim({.oldest = expires ? row_time(wall - bounds.keep) : 0,
                        .oldest_kept = expires ? row_time(wall - bounds.act_for) : 0,
                        .bytes_max = bounds.bytes_max,
                        .most = kTrimmedAtOnce});
  if (!trimmed) return trimmed.error();
  events_.removed.add(trimmed->rows);
  disk.trimmed = trimmed->more ? std::nullopt : std::optional(now);
  if (const auto bytes = disk.table->bytes()) bytes_ = *bytes;
  return {};
}

void HistoryRecorder::report(MetricReport& report) const {
  report_counters(events_, report);
  report.gauge({"shingled_history_bytes", "Bytes of the history in use."},
               std::uint64_t{bytes_.load()});
  report.gauge({"shingled_history_waiting", "Messages that wait to be written."},
               std::uint64_t{waiting_.lock()->batch.rows.size()});
}

features::CounterNeeds history_needs(const HistoryOptions& options) {
  features::CounterNeeds needs;
  if (!options.enabled) return needs;
  std::vector<storage::counters::Window> windows;
  for (const std::string& text : options.windows) {
    if (const auto window = storage::counters::parse_window(text)) windows.push_back(*window);
  }
  if (windows.empty()) return needs;
  for (const PieceTypeRow& row : piece_types())
    if (!is_of_report(row.type)) needs.push_back({row.type, windows});
  for (features::CounterNeed& need : needs) {
    if (is_pair(need.type) || is_unique(need.type)) continue;
    need.said = true;
    need.windows.push_back(kSaidWindow);
  }
  return needs;
}

void HistoryReloader::use(const HistoryOptions& options, const CounterOptions& counters) {
  if (!options.enabled) return close();
  if (const auto recorder = current_.get()) return recorder->use(options);
  auto recorder = open(options, counters);
  if (!recorder) {
    logger_.error(LogLine("history_off")
                      .field("why", recorder.error().message)
                      .field("mail", "goes on without a history"));
    return;
  }
  current_.set(*std::move(recorder));
}

Result<std::unique_ptr<HistoryRecorder>> HistoryReloader::open(const HistoryOptions& options,
                                                               const CounterOptions& counters) {
  if (counters.key_file.empty()) {
    if (Status made = storage::counters::make_counter_folder(counters.embedded.directory); !made)
      return made.error().in("counters.directory");
  }
  const auto site = storage::counters::site_key(counters, random_);
  if (!site) return site.error();
  return HistoryRecorder::open({.options = options, .site = *site, .feed = feed_}, clock_, logger_);
}

void HistoryReloader::report(MetricReport& report) const {
  if (const auto recorder = current_.get()) recorder->report(report);
}

}  // namespace shingled::milter::history
