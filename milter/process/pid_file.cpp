#include "milter/process/pid_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace shingled::milter::process {

Result<PidFile> PidFile::create(const std::string& path) {
  const auto failure = [&](ErrorCode code, int number) {
    return Error{code, "daemon.pid_file " + path + ": " + std::generic_category().message(number)};
  };
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) {
    const bool denied = errno == EACCES || errno == EPERM;
    return failure(denied ? ErrorCode::kDenied : ErrorCode::kUnavailable, errno);
  }
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{ErrorCode::kUnavailable,
                 "daemon.pid_file " + path + ": held by a running process"};
  }
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return failure(ErrorCode::kUnavailable, errno);
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
