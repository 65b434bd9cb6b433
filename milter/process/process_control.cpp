#include "milter/process/process_control.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "config/system/os_error.h"

namespace shingled::milter::process {

namespace {

sigset_t our_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGHUP, SIGUSR1, SIGTERM, SIGINT}) sigaddset(&set, number);
  return set;
}

}  // namespace

void block_signals() {
  const sigset_t set = our_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  // A write beyond the size limit of a file then fails with an error, as on a full disk.
  ::signal(SIGXFSZ, SIG_IGN);
}

std::optional<Signal> wait_for_signal(std::chrono::milliseconds most) {
  const sigset_t set = our_signals();
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(most.count() / 1000);
  timeout.tv_nsec = static_cast<long>(most.count() % 1000) * 1'000'000L;
  switch (::sigtimedwait(&set, nullptr, &timeout)) {
    case SIGHUP:
      return Signal::kReload;
    case SIGUSR1:
      return Signal::kReopenLog;
    case SIGTERM:
    case SIGINT:
      return Signal::kStop;
    default:
      return std::nullopt;
  }
}

void notify_starting(const std::string& status, std::chrono::seconds longer) {
  const auto microseconds = std::chrono::microseconds(longer).count();
  sd_notify(0,
            ("EXTEND_TIMEOUT_USEC=" + std::to_string(microseconds) + "\nSTATUS=" + status).c_str());
}

void notify_ready(const std::string& status) {
  sd_notify(0, ("READY=1\nSTATUS=" + status).c_str());
}

void notify_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);  // required for Type=notify-reload, since systemd 253
  const long long microseconds = now.tv_sec * 1'000'000LL + now.tv_nsec / 1000;
  sd_notify(0, ("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds)).c_str());
}

void notify_stopping() { sd_notify(0, "STOPPING=1"); }

void notify_alive() { sd_notify(0, "WATCHDOG=1"); }

std::optional<std::chrono::milliseconds> watchdog_interval() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return std::nullopt;
  return std::chrono::milliseconds(microseconds / 1000);
}

bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat info {};
  if (stream == nullptr || ::fstat(STDERR_FILENO, &info) != 0) return false;
  return stream == std::to_string(info.st_dev) + ':' + std::to_string(info.st_ino);
}

Result<PidFile> PidFile::create(const std::string& path) {
  const std::string place = "daemon.pid_file " + path;
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) {
    const int number = errno;
    return os_error(is_refusal(number) ? ErrorCode::kDenied : ErrorCode::kUnavailable, number,
                    place);
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCode::kUnavailable, place + ": held by a running process"};
  }
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return os_error(ErrorCode::kUnavailable, errno, place);
  }
  PidFile file;
  file.path_ = path;
  file.fd_ = std::move(fd);
  return file;
}

PidFile::~PidFile() {
  if (fd_) ::unlink(path_.c_str());
}

}  // namespace shingled::milter::process
