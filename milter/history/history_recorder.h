#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/current.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/periodic_task.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/metrics/counter_table.h"
#include "config/metrics/instruments.h"
#include "config/options/counter_options.h"
#include "config/options/history_options.h"
#include "milter/features/counter_needs.h"
#include "milter/history/message_record.h"
#include "milter/history/row_feed.h"
#include "storage/counters/timekeeper.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::milter::history {

/// What happened since the start. A new number needs a field and a line in `table`.
struct HistoryEvents {
  EventCount messages;
  EventCount labels;
  EventCount dropped;
  EventCount removed;
  EventCount failures;

  static constexpr auto table() {
    using Counters = HistoryEvents;
    return std::to_array<CounterLine<Counters, EventCount>>({
        {&Counters::messages, {"shingled_history_messages", "Messages written to the history."}},
        {&Counters::labels, {"shingled_history_labels", "Rows that a report has labelled."}},
        {&Counters::dropped,
         {"shingled_history_dropped",
          "Messages and labels that did not fit while the file could not be written."}},
        {&Counters::removed,
         {"shingled_history_removed", "Messages removed: too old, or the file was full."}},
        {&Counters::failures, {"shingled_history_failures", "Writes that failed."}},
    });
  }
};
static_assert(kHasWholeTable<HistoryEvents>);

/// Writes the history after the messages. A batch is in the file as a whole or not at all. While
/// the file cannot be written, messages wait up to a bound; what does not fit is dropped and
/// counted, and the log says so once. Within a day after the clock jumped ahead, nothing is removed
/// because of its age: the clock may be wrong.
///
/// Does not: keep a text of a message, or an address unless JudgedMessage::names says so; what it
/// knows of the others are keyed hashes.
///
/// Threads: any thread; one inside, "history", that writes every second and when much waits. The
///          destructor writes what is left.
/// Cost:    record: hashes and codes the message, some 10 µs; never waits for the disk.
class HistoryRecorder {
 public:
  static constexpr std::size_t kWaitingMax = 20'000;  ///< rows, and as many labels
  static constexpr std::uint64_t kWaitingBytesMax = std::uint64_t{32} << 20U;
  static constexpr std::size_t kWakeAt = 1000;

  struct Setup {
    HistoryOptions options;
    CounterKeyBytes site{};
    std::shared_ptr<const RowFeed> feed = nullptr;  ///< gets each row; null = nobody
  };
  /// Errors: those of HistoryTable.
  static Result<std::unique_ptr<HistoryRecorder>> open(const Setup& setup, const Clock& clock,
                                                       Logger& logger);
  /// The caller has to call `write`.
  static Result<std::unique_ptr<HistoryRecorder>> open_without_thread(const Setup& setup,
                                                                      const Clock& clock,
                                                                      Logger& logger);
  ~HistoryRecorder();
  HistoryRecorder(const HistoryRecorder&) = delete;
  HistoryRecorder& operator=(const HistoryRecorder&) = delete;
  HistoryRecorder(HistoryRecorder&&) = delete;
  HistoryRecorder& operator=(HistoryRecorder&&) = delete;

  void record(const JudgedMessage& message) noexcept;
  /// What people say of a message. `message`: counters::history_id() of its Message-ID. kNone
  /// takes the label back. A message that the history does not have is no error; one that is
  /// recorded before the write after the next gets its label.
  void label(std::uint64_t message, Label label) noexcept;
  /// New bounds after a reload; the file stays.
  void use(const HistoryOptions& options);
  [[nodiscard]] const CounterKeyBytes& site() const { return site_; }

  /// Writes what waits and removes what is too much. What cannot be written waits for the next
  /// time.
  Status write();
  void report(MetricReport& report) const;

 private:
  struct Batch {
    std::vector<storage::sqlite::HistoryRow> rows;
    std::vector<storage::sqlite::HistoryLabel> labels;
    std::uint64_t bytes = 0;  ///< of the rows
  };
  struct Waiting {
    Batch batch;
    // Of the batch that is being written. It comes back if that fails, so it counts, too.
    std::size_t writing_rows = 0;
    std::size_t writing_labels = 0;
    std::uint64_t writing_bytes = 0;
    std::int64_t last = 0;  ///< time of the newest row
    Outage dropping;
  };
  struct Bounds {
    std::chrono::seconds keep{};
    std::chrono::seconds act_for{};
    std::uint64_t bytes_max = 0;
  };
  struct Disk {
    std::unique_ptr<storage::sqlite::HistoryTable> table;
    Outage outage;
    std::optional<TimePoint> trimmed;
    /// Of the write before, for rows that come after their label: a message is recorded after its
    /// answer, and whoever reports it at once may be quicker.
    std::vector<storage::sqlite::HistoryLabel> again;
    storage::counters::Timekeeper time{storage::counters::Timekeeper::State()};
  };

  HistoryRecorder(std::unique_ptr<storage::sqlite::HistoryTable> table,
                  const storage::counters::Timekeeper& time, const Setup& setup, const Clock& clock,
                  Logger& logger);
  void take_row(storage::sqlite::HistoryRow row);
  Batch begin_writing();
  void note_dropped(Waiting& waiting);
  Status write_batch(Disk& disk);
  Status trim(Disk& disk);
  /// Puts a batch that was not written in front of what came since.
  void put_back(Batch batch);

  const CounterKeyBytes site_;
  const std::shared_ptr<const RowFeed> feed_;
  const Clock& clock_;
  Logger& logger_;
  HistoryEvents events_;
  std::atomic<std::uint64_t> bytes_{0};
  Guarded<Bounds> bounds_;
  Guarded<Disk> disk_;  ///< first of both locks
  mutable Guarded<Waiting> waiting_;
  std::optional<PeriodicTask> task_;  ///< last: it uses all of the above
};

/// What the history wants to know of the counters of each message: all types that a message can
/// have, in the windows of `options`; nothing if it is off.
/// Threads: stateless.
features::CounterNeeds history_needs(const HistoryOptions& options);

/// The history of a daemon. Opens it when the settings enable it; a reload changes its bounds or
/// ends it. If it cannot be opened, the log has an error line, and mail is served without it until
/// a reload.
/// Threads: `use` and `close` on one thread; the others on any.
class HistoryReloader {
 public:
  /// `feed`: gets each row; null = nobody.
  HistoryReloader(Clock& clock, Random& random, Logger& logger,
                  std::shared_ptr<const RowFeed> feed = nullptr)
      : clock_(clock), random_(random), logger_(logger), feed_(std::move(feed)) {}

  /// The names in it are made with the key of the counters, which is made if it is not there.
  void use(const HistoryOptions& options, const CounterOptions& counters);
  /// Writes what waits.
  void close() { current_.set(nullptr); }
  [[nodiscard]] const Current<HistoryRecorder>& current() const { return current_; }
  void report(MetricReport& report) const;

 private:
  Result<std::unique_ptr<HistoryRecorder>> open(const HistoryOptions& options,
                                                const CounterOptions& counters);

  Clock& clock_;
  Random& random_;
  Logger& logger_;
  const std::shared_ptr<const RowFeed> feed_;
  Current<HistoryRecorder> current_;
};

}  // namespace shingled::milter::history
