#include "milter/process/log_sink.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/sinks/syslog_sink.h>

#include <array>
#include <ctime>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "config/base/guarded.h"
#include "config/system/byte_transfer.h"
#include "milter/process/log_file.h"
#include "milter/process/service_manager.h"

namespace shingled::milter::process {

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

std::unique_ptr<spdlog::formatter> make_formatter(const std::string& file, bool syslog) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  if (syslog) {
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
    logger->set_formatter(make_formatter(file, syslog));
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

void LogSink::write(LogLevel level, std::string_view line) {
  if (!enabled(level)) return;
  const SpdLogger logger = *impl_->logger.lock();
  if (level != LogLevel::kWarning) {
    logger->log(spdlog_level(level), line);
    return;
  }
  const auto held_back = impl_->warnings.lock()->admit(line, impl_->clock.now());
  if (!held_back) return;
  LogLine with_count(line);
  if (*held_back > 0) with_count.field("repeated", *held_back);
  logger->warn(with_count.text());
}

Status LogSink::reopen() {
  if (impl_->file.empty()) return {};
  auto logger = make_logger(impl_->file, impl_->options);
  if (!logger) return logger.error();
  logger->swap(*impl_->logger.lock());
  return {};
}

}  // namespace shingled::milter::process
