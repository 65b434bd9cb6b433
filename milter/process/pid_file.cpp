#include "milter/process/pid_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "config/system/os_error.h"

namespace shingled::milter::process {

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
