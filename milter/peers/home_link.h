#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/periodic_task.h"
#include "config/base/result.h"
#include "config/metrics/counter_table.h"
#include "config/metrics/instruments.h"
#include "config/metrics/metric_report.h"
#include "config/options/report_options.h"
#include "config/system/file_system.h"
#include "milter/api/messages/report_resource.h"
#include "milter/http/http_message.h"
#include "milter/peers/home_client.h"
#include "milter/peers/report_spool.h"
#include "milter/reports/mailbox_names.h"
#include "mime/fingerprint/piece_shingle.h"

namespace shingled::milter::peers {

/// What happened since the start. A new number needs a field and a line in `table`.
struct HomeEvents {
  EventCount sent;
  EventCount aside;
  EventCount changes;

  static constexpr auto table() {
    using Counters = HomeEvents;
    return std::to_array<CounterLine<Counters, EventCount>>({
        {&Counters::sent,
         {"shingled_reports_forwarded", "Reports that the home of reports took from here."}},
        {&Counters::aside,
         {"shingled_reports_set_aside",
          "Waiting reports that the home of reports will never take; the log names them."}},
        {&Counters::changes,
         {"shingled_reports_changes_followed",
          "Labels, cases and hashes of which the home of reports told."}},
    });
  }
};
static_assert(kHasWholeTable<HomeEvents>);

/// The part of a daemon that is not the home of reports (`reports.home`): it hands on what people
/// report, and follows what becomes of it.
///
/// A report is acknowledged when it is on the disk of the home, or here in FILE.spool beside
/// `reports.file`. What waits there is sent again until the home answers; that it is taken twice
/// changes nothing, as the home counts a person once. What it will never take is put aside under
/// another name, logged and counted, and holds nothing else back (report_spool.h).
///
/// The feed of the home is read every kFollowPause and after each report; where it was read to is
/// kept in FILE.spool, too, after its labels are in the history.
///
/// Threads: any thread; one inside, "home".
class HomeLink {
 public:
  static constexpr std::size_t kWaitingMax = 20'000;  ///< reports
  static constexpr std::chrono::seconds kFollowPause{5};

  struct Setup {
    /// counters::history_id() and what all who reported it say.
    std::function<void(std::uint64_t message, std::optional<reports::ReportKind>)> label;
    /// The labels are on the disk.
    std::function<Status()> settle;
    /// Forgets a hash on a list; empty where the storage is that of the home, or its mirror.
    std::function<void(const Digest&, std::uint32_t flag)> withdraw;
    /// Names are made with it; nullopt: nobody knows.
    std::function<std::optional<CounterKeyBytes>()> site;
  };

  /// Makes the folder of what waits.
  /// Errors: those of the folder.
  static Result<std::unique_ptr<HomeLink>> start(const ReportOptions& options, Setup setup,
                                                 const Clock& clock, Logger& logger);
  /// The caller has to call `work`.
  static Result<std::unique_ptr<HomeLink>> start_without_thread(const ReportOptions& options,
                                                                Setup setup, const Clock& clock,
                                                                Logger& logger);
  ~HomeLink() { close(); }
  HomeLink(const HomeLink&) = delete;
  HomeLink& operator=(const HomeLink&) = delete;
  HomeLink(HomeLink&&) = delete;
  HomeLink& operator=(HomeLink&&) = delete;

  /// Hands a report on, or keeps it. The reply is that of the home, or {"what": "waiting", ...}.
  http::HttpReply take(const api::OutgoingReport& report);
  /// Ends the thread, within kPatience: then nothing of Setup is called any more.
  void close();
  /// Sends what waits, and reads the feed, if it is time to.
  void work(const std::stop_token& stop);
  void report(MetricReport& report) const;

 private:
  static constexpr std::chrono::seconds kPatience{15};
  static constexpr std::chrono::seconds kDirectPatience{8};

  HomeLink(const ReportOptions& options, Setup setup, const Clock& clock, Logger& logger);

  /// What is kept on the disk, and in which order.
  struct Disk {
    std::uint64_t last = 0;  ///< time of the newest file
  };
  /// Of the thread that works.
  struct Course {
    std::uint32_t failures = 0;
    TimePoint next_try{};
    TimePoint next_look{};
    std::string cursor;
    bool has_cursor = false;  ///< it was read from its file
    Outage other_key;
    Outage not_followed;
  };

  Status open();
  std::string full_name(std::string_view reporter);
  /// nullopt: it has to be kept.
  std::optional<http::HttpReply> send_now(const SentReport& report);
  http::HttpReply keep(const SentReport& report);
  Result<Json> send_waiting(const SentReport& report, const std::stop_token& stop);
  void flush(const std::stop_token& stop);
  void note_answer(const HomeAnswer& answer);
  void follow(const std::stop_token& stop);
  /// Whether there is more.
  Result<bool> follow_page();
  /// Has the thread work at once.
  void wake();
  void apply(const storage::sqlite::ReportChange& change);
  std::string read_cursor();
  Status write_cursor(const std::string& cursor);
  [[nodiscard]] std::uint64_t present() const;

  const ReportOptions options_;
  const Setup setup_;
  const Clock& clock_;
  Logger& logger_;
  const HomeClient home_;
  std::unique_ptr<FileSystem> files_;
  HomeEvents events_;
  std::atomic<std::uint64_t> waiting_{0};
  std::atomic<bool> is_away_{false};  ///< the last one who asked had no answer
  std::atomic<bool> looks_now_{true};
  Guarded<Outage> away_;
  Guarded<reports::MailboxNames> names_;
  Guarded<Disk> disk_;
  Mutex turn_;  ///< of sending: the reports of a person stay in their order
  Course course_;
  Guarded<std::unique_ptr<PeriodicTask>> task_;  ///< last: it uses all of the above
};

}  // namespace shingled::milter::peers
