#include <fmt/format.h>
#include <pwd.h>
#include <sysexits.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "config/system/file_system.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/reports/report_commands.h"
#include "milter/desk/daemon_choice.h"
#include "milter/desk/report_client.h"
#include "milter/input/message_file.h"
#include "milter/input/message_source.h"
#include "milter/peers/report_spool.h"
#include "milter/process/interrupt.h"
#include "milter/reports/complaint.h"
#include "mime/message/attached_messages.h"
#include "mime/model/work_meter.h"

namespace shingled::milter::cli {

namespace {

using peers::is_for_later;
using peers::ReportSpool;
using peers::SentReport;

/// Waiting reports that one call delivers, so that it returns soon.
constexpr std::size_t kFlushedByACall = 100;
/// Attached messages of one message that are reported.
constexpr std::size_t kAttachedMax = 100;

/// The login name of the user who runs this process, or its number.
std::string own_name() {
  const passwd* user = ::getpwuid(::getuid());
  return user != nullptr ? user->pw_name : std::to_string(::getuid());
}

std::uint64_t now_microseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

/// The exit code where the daemon did not take a report.
int failure_code(const Error& error) {
  return is_for_later(error) ? service_exit_code(error) : EX_DATAERR;
}

class ReportRun {
 public:
  ReportRun(const ReportArguments& arguments, const Settings& settings, Console& console)
      : arguments_(arguments),
        settings_(settings),
        console_(console),
        client_(desk::daemon_of(settings, clock_)) {
    const std::string& folder = arguments.flush.empty() ? arguments.spool : arguments.flush;
    if (folder.empty()) return;
    files_ = folder_files(folder, NewFiles::kOwnerReads);
    spool_.emplace(*files_, static_cast<std::uint64_t>(::getpid()));
  }

  int flush_only() {
    const std::uint64_t now = now_microseconds();
    spool_->remove_halves(now);
    spool_->remove_refused(now);
    const auto done =
        spool_->flush(now, SIZE_MAX, [this](const SentReport& one) { return client_.send(one); });
    if (!done) return spool_failed(done.error());
    return tell_flushed(*done);
  }

  /// Reports messages of the history.
  int report_named() {
    int worst = EX_OK;
    for (const std::string& name : arguments_.messages) {
      if (process::interrupted()) return process::kExitInterrupted;
      const auto receipt = client_.send_named(name, {arguments_.spam, reporter(), {}});
      const int code = !receipt ? refused(name, receipt.error()) : tell(name, *receipt);
      worst = worse_exit_code(worst, code);
    }
    return worst;
  }

  int report_all() {
    input::MessageSource source(arguments_.names,
                                {.message_bytes_max = settings_.reports.bytes_max});
    Progress progress(console_, source, clock_);
    int worst = EX_OK;
    while (auto message = source.next()) {
      if (process::interrupted()) return process::kExitInterrupted;
      const int code = arguments_.unwrap ? report_attached(*message) : report_one(*message);
      worst = worse_exit_code(worst, code);
      if ((code != EX_OK && code != EX_DATAERR && code != EX_NOINPUT) || console_.broken()) break;
      progress.step();
    }
    if (spool_ && !arguments_.later) flush_some();
    return worst;
  }

 private:
  int report_attached(input::SourceMessage& message) {
    if (message.error || message.cut) return report_one(message);
    mime::WorkMeter meter(mime::steps_for(message.bytes.size(), settings_.mime.work_max));
    auto found = mime::attached_messages(message.bytes, settings_.mime, kAttachedMax, meter);
    const auto complaint = reports::complaint_in(message.bytes, found, settings_.mime);
    using Kind = reports::Complaint::Kind;
    if (complaint.kind == Kind::kUnusable) {
      console_.error(message.name, "not reported: " + complaint.why);
      return EX_DATAERR;
    }
    if (complaint.kind == Kind::kNone) return ignore(message.name, complaint.why);
    std::vector<input::SourceMessage> all = separated(message.name, found.messages);
    int worst = EX_OK;
    for (input::SourceMessage& one : all)
      worst = worse_exit_code(worst, report_one(one, complaint.kind == Kind::kWanted));
    // Nobody reads what would be sent back to the machine of a provider.
    return worst == EX_DATAERR && complaint.kind != Kind::kForward ? EX_OK : worst;
  }

  /// Each attached message as if it were a file of its own: also without the From_ line of an mbox,
  /// which some mail programs leave in what they forward.
  std::vector<input::SourceMessage> separated(const std::string& name,
                                              std::vector<std::string>& attached) const {
    std::vector<input::SourceMessage> all;
    for (std::string& bytes : attached) {
      input::MessageFile file(std::move(bytes), settings_.reports.bytes_max,
                              input::LineEnds::kAsMailed);
      while (all.size() < kAttachedMax) {
        auto message = file.next();
        if (!message || !*message) break;
        input::SourceMessage& one = all.emplace_back();
        one.name = name + ":" + std::to_string(all.size());
        one.bytes = std::move((*message)->bytes);
        one.cut = (*message)->cut;
      }
    }
    return all;
  }

  /// Takes mail that is not a complaint, so that it does not come back to a machine.
  int ignore(const std::string& name, const std::string& why) {
    if (arguments_.json) {
      console_.json({{"file", name}, {"what", "ignored"}, {"why", why}});
    } else {
      console_.line(fmt::format("{}: not reported: {}", terminal_safe(name), terminal_safe(why)));
    }
    return EX_OK;
  }

  int report_one(input::SourceMessage& message, bool opposite = false) {
    if (message.error) {
      console_.error(message.name, message.error->message);
      return exit_code(message.error->code);
    }
    if (message.cut) {
      console_.error(message.name, "not reported: longer than reports.bytes_max");
      return EX_DATAERR;
    }
    const SentReport report{arguments_.spam != opposite, reporter(), std::move(message.bytes)};
    if (spool_) {
      // What waits comes first: the last report of a person stands.
      const auto empty = spool_->empty();
      if (!empty) return spool_failed(empty.error());
      if (arguments_.later || !*empty) return keep(message.name, report);
    }
    const auto receipt = client_.send(report);
    if (receipt) return tell(message.name, *receipt);
    if (spool_ && is_for_later(receipt.error())) return keep(message.name, report);
    return refused(message.name, receipt.error());
  }

  int refused(const std::string& name, const Error& error) {
    console_.error(name, error.message);
    if (arguments_.json) console_.json({{"file", name}, {"error", error.message}});
    return error.code == ErrorCode::kNotFound ? EX_NOINPUT : failure_code(error);
  }

  int keep(const std::string& name, const SentReport& report) {
    if (Status kept = spool_->keep(report, now_microseconds()); !kept)
      return spool_failed(kept.error());
    if (arguments_.json) {
      console_.json({{"file", name}, {"what", "kept"}});
    } else {
      console_.line(fmt::format("{}: kept in {}", terminal_safe(name), arguments_.spool));
    }
    return EX_OK;
  }

  /// What waits is safe, so nothing here is a failure of this call.
  void flush_some() {
    const std::uint64_t now = now_microseconds();
    spool_->remove_halves(now);
    const auto empty = spool_->empty();
    if (!empty || *empty) return;
    static_cast<void>(spool_->flush(now, kFlushedByACall,
                                    [this](const SentReport& one) { return client_.send(one); }));
  }

  int tell_flushed(const ReportSpool::Delivered& done) {
    if (arguments_.json) {
      console_.json({{"sent", done.sent}, {"refused", done.refused}, {"waiting", done.waiting}});
    } else {
      console_.line(fmt::format("{} delivered, {} refused, {} waiting",
                                counted(done.sent, "report", "reports"), done.refused,
                                done.waiting));
    }
    for (const std::string& line : done.put_aside) console_.error("report", line);
    if (done.why_waiting) return EX_OK;
    console_.error("report", done.why_waiting.error().message);
    return failure_code(done.why_waiting.error());
  }

  int tell(const std::string& name, const Json& receipt) {
    if (arguments_.json) {
      Json object = {{"file", name}};
      object.update(receipt);
      console_.json(object);
      return EX_OK;
    }
    const std::string what = receipt.value("what", "");
    if (what == "waiting") {
      console_.line(fmt::format("{}: {}", terminal_safe(name),
                                terminal_safe(receipt.value("text", "waits"))));
      return EX_OK;
    }
    std::string text =
        fmt::format("{}: {}, {}, {} changed{}", terminal_safe(name),
                    what == "same"     ? "was reported before"
                    : what == "turned" ? "takes back the report before"
                                       : "reported",
                    counted(receipt.value("hashes", std::size_t{0}), "hash", "hashes"),
                    receipt.value("changed", std::size_t{0}),
                    receipt.value("counted", false) ? "" : ", not counted");
    if (receipt.contains("not_taught"))
      text += "; not taught: " + terminal_safe(receipt.value("not_taught", ""));
    if (receipt.contains("text")) text += "; " + terminal_safe(receipt.value("text", ""));
    console_.line(text);
    return EX_OK;
  }

  int spool_failed(const Error& error) {
    console_.error("report", "spool: " + error.message);
    // A full disk: whoever called may try again later.
    if (error.code == ErrorCode::kUnavailable) return EX_TEMPFAIL;
    return error.code == ErrorCode::kDenied ? EX_NOPERM : EX_CANTCREAT;
  }

  std::string reporter() {
    if (reporter_.empty())
      reporter_ = arguments_.reporter.empty() ? own_name() : arguments_.reporter;
    return reporter_;
  }

  const ReportArguments& arguments_;
  const Settings& settings_;
  Console& console_;
  SystemClock clock_;
  desk::ReportClient client_;
  std::unique_ptr<FileSystem> files_;
  std::optional<ReportSpool> spool_;
  std::string reporter_;
};

}  // namespace

int run_report(ReportArguments& arguments, Console& console) {
  const bool flushes = !arguments.flush.empty();
  const bool named = !arguments.messages.empty();
  if (named &&
      (flushes || !arguments.names.empty() || !arguments.spool.empty() || arguments.unwrap)) {
    console.error("report", "--message asks the daemon and takes no files");
    return EX_USAGE;
  }
  if (flushes && (arguments.spam || arguments.ham || !arguments.names.empty())) {
    console.error("report", "--flush delivers what waits and takes no messages");
    return EX_USAGE;
  }
  if (!flushes && arguments.spam == arguments.ham) {
    console.error("report", "give --spam or --ham");
    return EX_USAGE;
  }
  if (arguments.reporter.size() > desk::kReporterBytesMax) {
    console.error("report", "--reporter: is longer than " +
                                std::to_string(desk::kReporterBytesMax) + " bytes");
    return EX_USAGE;
  }
  if (arguments.later && arguments.spool.empty()) {
    console.error("report", "--later needs --spool");
    return EX_USAGE;
  }
  const auto settings = arguments.settings.load_if_allowed(console);
  if (settings == nullptr) return EX_CONFIG;
  ReportRun run(arguments, *settings, console);
  if (flushes) return run.flush_only();
  return named ? run.report_named() : run.report_all();
}

}  // namespace shingled::milter::cli
