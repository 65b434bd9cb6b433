#include "milter/process/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "config/system/os_error.h"
#include "milter/process/privileges.h"

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

}  // namespace shingled::milter::process
