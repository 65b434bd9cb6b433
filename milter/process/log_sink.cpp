#include "milter/process/log_sink.h"

#include <fcntl.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/syslog_sink.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/guarded.h"
#include "config/system/byte_transfer.h"
#include "config/system/os_error.h"
#include "milter/process/log_json.h"
#include "milter/process/privileges.h"
#include "milter/process/process_control.h"

namespace shingled::milter::process {

namespace {

constexpr mode_t kLogMode = 0640;

Error log_error(const std::string& path, int number) {
  const std::string what =
      number == ELOOP ? "is a symbolic link; name the file it points to" : os_reason(number);
  return {is_refusal(number) ? ErrorCode::kDenied : ErrorCode::kUnavailable,
          "daemon.log_file " + path + ": " + what};
}

Result<UniqueFd> open_here(const std::string& path) {
  // O_NONBLOCK: open would block on a pipe without a reader.
  UniqueFd fd(::open(path.c_str(),
                     O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
                     kLogMode));
  if (!fd) return log_error(path, errno);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return log_error(path, errno);
  if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode)) {
    return Error{ErrorCode::kUnavailable, "daemon.log_file " + path + ": is not a regular file"};
  }
  return fd;
}

/// Whether every folder of the path belongs to root and the user may not write there. Write access
/// of a group counts only for the group of the user: /var/log often belongs to the group of syslog.
bool is_roots_way(const std::string& path, const Identity& user) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (;; folder = folder.parent_path()) {
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return false;
    const bool by_group = (info.st_mode & S_IWGRP) != 0 && info.st_gid == user.group;
    if (info.st_uid != 0 || by_group || (info.st_mode & S_IWOTH) != 0) return false;
    if (!folder.has_relative_path()) return true;
  }
}

}  // namespace

Result<UniqueFd> open_log_file(const std::string& path, const DaemonOptions& options) {
  const bool becomes_another = !options.user.empty() || !options.group.empty();
  if (::geteuid() != 0 || !becomes_another) return open_here(path);
  const auto identity = daemon_identity(options);
  if (!identity)
    return open_here(path);  // the start fails later for this reason, and the log tells it
  Result<UniqueFd> log = Error{};
  const Status borrowed = with_rights_of(*identity, [&] { log = open_here(path); });
  if (!borrowed) return borrowed.error();
  if (log || log.error().code != ErrorCode::kDenied || !is_roots_way(path, *identity)) return log;
  log = open_here(path);
  if (log && ::fchown(log->get(), identity->user, identity->group) != 0) {
    return log_error(path, errno);
  }
  return log;
}

std::optional<std::uint64_t> RepeatFilter::admit(std::string_view line, TimePoint now) {
  auto known = seen_.find(line);
  if (known == seen_.end()) {
    // All remembered lines are different, so there are hardly any repetitions to hold back.
    if (seen_.size() >= kLinesMax) seen_.clear();
    known = seen_.try_emplace(std::string(line)).first;
  }
  Seen& seen = known->second;
  if (seen.passing.pass(now)) return std::exchange(seen.held_back, 0);
  ++seen.held_back;
  return std::nullopt;
}

namespace {

using SpdLogger = std::shared_ptr<spdlog::logger>;

/// Writes lines to an open file.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  FileSink(std::string file, UniqueFd fd) : file_(std::move(file)), fd_(std::move(fd)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const Status written = write_all(fd_.get(), as_bytes({line.data(), line.size()}));
    if (!written) throw spdlog::spdlog_ex(written.error().in("daemon.log_file " + file_).message);
  }
  void flush_() override {}

 private:
  const std::string file_;
  UniqueFd fd_;
};

/// The priority before a line, for example "<3>". The journal removes it (sd-daemon(3)).
class PriorityFlag final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    const std::string_view priority = of(message.level);
    out.append(priority.data(), priority.data() + priority.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PriorityFlag>();
  }

 private:
  static std::string_view of(spdlog::level::level_enum level) {
    if (level >= spdlog::level::err) return "<3>";
    if (level == spdlog::level::warn) return "<4>";
    return level == spdlog::level::info ? "<6>" : "<7>";
  }
};

std::unique_ptr<spdlog::formatter> make_formatter(const std::string& file, bool syslog,
                                                  LogFormat format) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  if (format == LogFormat::kJson) {
    // Collectors read the object alone, so it has the time in every log.
    const bool journal = !syslog && file.empty() && stderr_is_journal();
    formatter->add_flag<PriorityFlag>('*').set_pattern(
        std::string(journal ? "%*" : "") + R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})");
  } else if (syslog) {
    formatter->set_pattern("%l %v");  // syslog adds the time
  } else if (file.empty() && stderr_is_journal()) {
    formatter->add_flag<PriorityFlag>('*').set_pattern("%*%l %v");  // the journal adds the time
  } else {
    formatter->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  }
  return formatter;
}

/// By SyslogFacility; the first is not used.
constexpr std::array<int, 12> kFacilities = {0,          LOG_MAIL,   LOG_DAEMON, LOG_USER,
                                             LOG_LOCAL0, LOG_LOCAL1, LOG_LOCAL2, LOG_LOCAL3,
                                             LOG_LOCAL4, LOG_LOCAL5, LOG_LOCAL6, LOG_LOCAL7};

Result<SpdLogger> make_logger(const std::string& file, const DaemonOptions& options) {
  try {
    spdlog::sink_ptr sink;
    const bool syslog = options.syslog != SyslogFacility::kNone;
    if (syslog) {
      sink = std::make_shared<spdlog::sinks::syslog_sink_mt>(
          "shingled", LOG_PID, kFacilities.at(static_cast<std::size_t>(options.syslog)),
          /*enable_formatting=*/true);
    } else if (file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      auto opened = open_log_file(file, options);
      if (!opened) return opened.error();
      sink = std::make_shared<FileSink>(file, *std::move(opened));
    }
    auto logger = std::make_shared<spdlog::logger>("shingled", std::move(sink));
    logger->set_formatter(make_formatter(file, syslog, options.log_format));
    logger->set_level(spdlog::level::trace);
    logger->flush_on(spdlog::level::trace);
    return logger;
  } catch (const spdlog::spdlog_ex& failure) {
    return Error{ErrorCode::kUnavailable, "daemon.log_file " + file + ": " + failure.what()};
  }
}

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

}  // namespace

class LogSink::Impl {
 public:
  Impl(std::string a_file, DaemonOptions an_options, SpdLogger a_logger, Clock& a_clock)
      : file(std::move(a_file)),
        options(std::move(an_options)),
        clock(a_clock),
        logger(std::in_place, std::move(a_logger)) {}
  const std::string file;
  const DaemonOptions options;
  Clock& clock;
  Guarded<SpdLogger> logger;
  Guarded<RepeatFilter> warnings;
  Guarded<Observer> observer;
};

Result<std::unique_ptr<LogSink>> LogSink::open(const std::string& file, LogLevel level,
                                               Clock& clock, const DaemonOptions& options) {
  auto logger = make_logger(file, options);
  if (!logger) return logger.error();
  auto impl = std::make_unique<Impl>(file, options, *std::move(logger), clock);
  return std::unique_ptr<LogSink>(new LogSink(std::move(impl), level));
}

LogSink::LogSink(std::unique_ptr<Impl> impl, LogLevel level)
    : impl_(std::move(impl)), level_(level) {}

LogSink::~LogSink() = default;

void LogSink::observe(Observer observer) { *impl_->observer.lock() = std::move(observer); }

void LogSink::write_line(LogLevel level, const LogLine& line) {
  const bool json = impl_->options.log_format == LogFormat::kJson;
  if (enabled(level)) put(level, json ? json_members(line) : line.text(), line.text());
}

void LogSink::write(LogLevel level, std::string_view line) { put(level, line, line); }

void LogSink::put(LogLevel level, std::string_view line, std::string_view text) {
  if (!enabled(level)) return;
  {
    // With the lock, so that nobody is observed any more when `observe` has returned.
    auto observer = impl_->observer.lock();
    if (*observer) (*observer)(level, text);
  }
  const SpdLogger logger = *impl_->logger.lock();
  if (level != LogLevel::kWarning) {
    logger->log(spdlog_level(level), line);
    return;
  }
  const auto held_back = impl_->warnings.lock()->admit(line, impl_->clock.now());
  if (!held_back) return;
  std::string written(line);
  const bool json = impl_->options.log_format == LogFormat::kJson;
  if (*held_back > 0)
    written += (json ? R"(,"repeated":)" : " repeated=") + std::to_string(*held_back);
  logger->warn(written);
}

Status LogSink::reopen() {
  if (impl_->file.empty()) return {};
  auto logger = make_logger(impl_->file, impl_->options);
  if (!logger) return logger.error();
  logger->swap(*impl_->logger.lock());
  return {};
}

}  // namespace shingled::milter::process
