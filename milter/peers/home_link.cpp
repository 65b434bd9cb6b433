#include "milter/peers/home_link.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/base/backoff.h"
#include "config/base/hex.h"
#include "config/system/mapped_read.h"
#include "config/system/os_error.h"
#include "milter/api/reply.h"
#include "milter/peers/spool_folder.h"
#include "milter/reports/reported_message.h"

namespace shingled::milter::peers {

namespace {

using storage::sqlite::ReportChange;

constexpr std::chrono::seconds kWorkPause{1};
constexpr Backoff kRetry{std::chrono::seconds(1), std::chrono::seconds(30)};
constexpr std::size_t kSentAtOnce = 200;  ///< then a report that just came may go first
constexpr std::size_t kPagesAtOnce = 200;
constexpr std::size_t kCursorBytesMax = 256;
constexpr const char* kCursorFile = "changes.cursor";
constexpr std::uint64_t kMicroseconds = 1'000'000;
constexpr unsigned kTooMany = 429;  ///< of one person

}  // namespace

HomeLink::HomeLink(const ReportOptions& options, Setup setup, const Clock& clock, Logger& logger)
    : options_(options),
      setup_(std::move(setup)),
      clock_(clock),
      logger_(logger),
      home_(options, clock),
      files_(folder_files(spool_folder(options), NewFiles::kOwnerReads)),
      names_(std::in_place, logger) {}

void HomeLink::close() {
  std::unique_ptr<PeriodicTask> task;
  task.swap(*task_.lock());
}

void HomeLink::wake() {
  auto task = task_.lock();
  if (*task != nullptr) (*task)->wake();
}

Result<std::unique_ptr<HomeLink>> HomeLink::start_without_thread(const ReportOptions& options,
                                                                 Setup setup, const Clock& clock,
                                                                 Logger& logger) {
  std::unique_ptr<HomeLink> link(new HomeLink(options, std::move(setup), clock, logger));
  if (Status opened = link->open(); !opened) return opened.error();
  return link;
}

Result<std::unique_ptr<HomeLink>> HomeLink::start(const ReportOptions& options, Setup setup,
                                                  const Clock& clock, Logger& logger) {
  auto link = start_without_thread(options, std::move(setup), clock, logger);
  if (!link) return link.error();
  HomeLink* const self = link->get();
  *self->task_.lock() = std::make_unique<PeriodicTask>(
      "home", kWorkPause, [self](const std::stop_token& stop) { self->work(stop); });
  return link;
}

Status HomeLink::open() {
  constexpr mode_t kOwnerOnly = 0700;
  const std::string folder = spool_folder(options_);
  if (::mkdir(folder.c_str(), kOwnerOnly) != 0 && errno != EEXIST)
    return os_error(errno, "making " + folder);
  const auto content = ReportSpool(*files_, 0).content();
  if (!content) return content.error();
  disk_.lock()->last = content->newest;
  waiting_ = content->waiting;
  return {};
}

std::uint64_t HomeLink::present() const {
  return std::uint64_t{unix_seconds(clock_.wall())} * kMicroseconds;
}

std::string HomeLink::full_name(std::string_view reporter) {
  auto names = names_.lock();
  names->refresh(options_.domain, options_.aliases);
  return names->mailbox_of(reporter);
}

http::HttpReply HomeLink::take(const api::OutgoingReport& report) {
  if (!options_.enabled)
    return api::problem({ErrorCode::kDenied, "reports are off (reports.enabled)"});
  const reports::KeptMessage none;
  reports::Report checked{report.kind, report.reporter, report.body};
  if (report.is_kept) checked.kept = &none;
  if (Status good = reports::check_report(checked); !good) return api::problem(good.error());
  // The domain of a bare name is that of the host where it was said.
  SentReport sent{report.kind == reports::ReportKind::kSpam, full_name(report.reporter),
                  std::string(report.body), report.is_kept};
  if (auto reply = send_now(sent)) return *std::move(reply);
  return keep(sent);
}

std::optional<http::HttpReply> HomeLink::send_now(const SentReport& report) {
  if (is_away_ || waiting_ > 0) return std::nullopt;
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn.owns_lock() || waiting_ > 0) return std::nullopt;
  HomeAnswer answer = home_.send(report, kDirectPatience);
  note_answer(answer);
  using What = HomeAnswer::What;
  if (answer.what == What::kTaken) {
    events_.sent.add();
    looks_now_ = true;
    wake();
    return http::HttpReply{200, "application/json", std::move(answer.reply.body)};
  }
  const bool is_last_word = answer.what == What::kRefused ||
                            (answer.what == What::kNotNow && answer.reply.status == kTooMany);
  if (!is_last_word) return std::nullopt;
  return api::problem(answer.reply.status, answer.why);
}

http::HttpReply HomeLink::keep(const SentReport& report) {
  {
    auto disk = disk_.lock();
    if (waiting_ >= kWaitingMax) {
      return api::problem({ErrorCode::kUnavailable,
                           "too many reports wait for the home of reports; try again later"});
    }
    disk->last = std::max(disk->last + 1, present());
    Status kept = ReportSpool(*files_, 0).keep(report, disk->last);
    if (!kept) return api::problem({ErrorCode::kUnavailable, kept.error().message});
    ++waiting_;
  }
  wake();
  return api::json_reply(
      {{"what", "waiting"},
       {"hashes", 0},
       {"changed", 0},
       {"counted", false},
       {"text", "kept; " + home_.url() + ", the home of reports, gets it later"}});
}

void HomeLink::note_answer(const HomeAnswer& answer) {
  using What = HomeAnswer::What;
  const bool works = answer.what == What::kTaken || answer.what == What::kRefused ||
                     answer.reply.status == kTooMany;
  is_away_ = answer.what == What::kAway;
  const bool is_news = works ? away_.lock()->end() : away_.lock()->begin();
  if (!is_news) return;
  if (works) {
    logger_.info(LogLine("home_answers").field("home", home_.url()));
  } else {
    logger_.error(LogLine("home_does_not_take_reports")
                      .field("home", home_.url())
                      .field("why", answer.why)
                      .field("effect", "reports wait in " + spool_folder(options_)));
  }
}

Result<Json> HomeLink::send_waiting(const SentReport& report, const std::stop_token& stop) {
  using What = HomeAnswer::What;
  if (stop.stop_requested()) return Error{ErrorCode::kUnavailable, "the daemon ends"};
  if (!reports::is_reporter(report.reporter))
    return Error{ErrorCode::kInvalid, "reporter: takes 1 to 256 bytes without control bytes"};
  const HomeAnswer answer = home_.send(report, kPatience);
  note_answer(answer);
  if (answer.what == What::kTaken) return Json::object();
  if (answer.what == What::kRefused) return Error{ErrorCode::kInvalid, answer.why};
  return Error{answer.what == What::kAway ? ErrorCode::kUnavailable : ErrorCode::kDenied,
               answer.why};
}

void HomeLink::flush(const std::stop_token& stop) {
  const MutexLock turn(turn_);
  std::uint64_t now = present();
  {
    // What is put aside has a name of its own, whatever the clock says.
    auto disk = disk_.lock();
    now = disk->last = std::max(disk->last + kSentAtOnce, now);
  }
  ReportSpool spool(*files_, 1);
  spool.remove_halves(now);
  spool.remove_refused(now);
  const auto done = spool.flush(
      now, kSentAtOnce, [&](const SentReport& report) { return send_waiting(report, stop); });
  if (!done) {
    ++course_.failures;
    logger_.error(LogLine("report_spool_failed").field("error", done.error().message));
    return;
  }
  events_.sent.add(done->sent);
  events_.aside.add(done->refused);
  for (const std::string& line : done->put_aside)
    logger_.warning(LogLine("report_set_aside").field("report", line));
  if (done->sent > 0) {
    looks_now_ = true;
    logger_.info(LogLine("reports_sent_home").field("reports", done->sent));
  }
  {
    auto disk = disk_.lock();  // nothing is kept meanwhile
    const auto content = spool.content();
    if (content) waiting_ = content->waiting;
  }
  course_.failures = done->why_waiting ? 0 : course_.failures + 1;
}

void HomeLink::work(const std::stop_token& stop) {
  const TimePoint now = clock_.now();
  if (now < course_.next_try && !looks_now_) return;
  if (waiting_ > 0 && now >= course_.next_try) {
    flush(stop);
    if (course_.failures > 0) course_.next_try = clock_.now() + kRetry.wait(course_.failures - 1);
  }
  if (stop.stop_requested()) return;
  if (looks_now_.exchange(false) || now >= course_.next_look) {
    follow(stop);
    course_.next_look = clock_.now() + kFollowPause;
  }
}

void HomeLink::follow(const std::stop_token& stop) {
  if (!course_.has_cursor) course_.cursor = read_cursor();
  course_.has_cursor = true;
  for (std::size_t page = 0; page < kPagesAtOnce && !stop.stop_requested(); ++page) {
    const auto more = follow_page();
    if (!more) {
      if (course_.not_followed.begin()) {
        logger_.warning(LogLine("home_changes_unknown")
                            .field("home", home_.url())
                            .field("why", more.error().message));
      }
      return;
    }
    // It is there: what waits for it need not wait for the time of the next try.
    is_away_ = false;
    course_.failures = 0;
    course_.next_try = clock_.now();
    if (course_.not_followed.end())
      logger_.info(LogLine("home_changes_followed").field("home", home_.url()));
    if (!*more) return;
  }
}

Result<bool> HomeLink::follow_page() {
  auto changes = home_.changes(course_.cursor, kPatience);
  if (!changes && changes.error().code == ErrorCode::kInvalid && !course_.cursor.empty())
    changes = home_.changes("", kPatience);  // a file that somebody wrote into
  if (!changes) return changes.error();
  const auto site = setup_.site ? setup_.site() : std::nullopt;
  if (site && changes->site != 0 && changes->site != reports::site_id(*site)) {
    return Error{ErrorCode::kDenied,
                 "its counters have another key, so no name means the same here; give both the "
                 "same counters.key_file"};
  }
  if (changes->page.is_anew && !course_.cursor.empty()) {
    logger_.warning(LogLine("home_is_another")
                        .field("home", home_.url())
                        .field("why",
                               "it does not know the last change that was read: its file "
                               "is new or older; all that it has is read again"));
  }
  for (const ReportChange& change : changes->page.changes) apply(change);
  if (setup_.settle) {
    if (Status settled = setup_.settle(); !settled) return settled.error();
  }
  if (changes->page.next != course_.cursor) {
    if (Status written = write_cursor(changes->page.next); !written) return written.error();
    course_.cursor = changes->page.next;
  }
  events_.changes.add(changes->page.changes.size());
  return changes->page.has_more;
}

void HomeLink::apply(const ReportChange& change) {
  using What = ReportChange::What;
  if (change.what == What::kLabel) {
    std::optional<reports::ReportKind> label;
    if (change.value == 0) label = reports::ReportKind::kHam;
    if (change.value == 1) label = reports::ReportKind::kSpam;
    if (setup_.label) setup_.label(change.message, label);
    return;
  }
  if (change.what == What::kWithdrawn) {
    if (setup_.withdraw) setup_.withdraw(change.digest, change.value);
    return;
  }
  logger_.info(LogLine(change.what == What::kClosed ? "home_closed_case" : "home_reopened_case")
                   .field("hash", to_hex(change.digest.bytes).substr(0, 16))
                   .field("flag", change.value));
}

std::string HomeLink::read_cursor() {
  const auto mapped = files_->map(kCursorFile);
  if (!mapped) return {};
  const BytesView bytes = (*mapped)->bytes();
  if (bytes.size() > kCursorBytesMax) return {};
  std::string text(bytes.size(), '\0');
  if (!read_mapped([&] { std::copy(bytes.begin(), bytes.end(), text.begin()); })) return {};
  return text.substr(0, text.find('\n'));
}

Status HomeLink::write_cursor(const std::string& cursor) {
  const std::string half = std::string(kCursorFile) + ".new";
  auto file = files_->create(half);
  if (!file) return file.error();
  Status done = (*file)->append(as_bytes(cursor + "\n"));
  if (done) done = (*file)->sync();
  file->reset();
  if (done) done = files_->rename(half, kCursorFile);
  if (done) done = files_->sync_names();
  return done;
}

void HomeLink::report(MetricReport& report) const {
  report_counters(events_, report);
  report.gauge(
      {"shingled_reports_forward_waiting", "Reports that wait here for the home of reports."},
      std::uint64_t{waiting_});
  report.gauge({"shingled_reports_home_up", "Whether the home of reports answered last."},
               std::uint64_t{is_away_ ? 0U : 1U});
}

}  // namespace shingled::milter::peers
