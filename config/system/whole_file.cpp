#include "config/system/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "config/system/os_error.h"
#include "config/system/unique_fd.h"

namespace shingled {

namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileStamp stamp_from(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
}

Error file_error(int reason) {
  return reason == ELOOP ? os_error(ErrorCode::kDenied, reason) : os_error(reason);
}

Result<std::string> read_to_end(const UniqueFd& fd, std::size_t bytes_max) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_error(errno);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
    if (text.size() > bytes_max) {
      return Error{ErrorCode::kLimit, "is longer than " + std::to_string(bytes_max) + " bytes"};
    }
  }
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? stamp_from(status) : FileStamp{};
}

Result<std::string> read_whole_text(const std::string& path, std::size_t bytes_max) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return file_error(errno);
  return read_to_end(fd, bytes_max);
}

Result<WholeFile> read_whole_file(const std::string& path, std::size_t bytes_max) {
  // Opening a pipe without a writer would block.
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return file_error(errno).in(path);
  if (!S_ISREG(status.st_mode)) return Error{ErrorCode::kDenied, path + ": is not a regular file"};
  auto text = read_to_end(fd, bytes_max);
  if (!text) return text.error().in(path);
  return WholeFile{*std::move(text), stamp_from(status),
                   static_cast<mode_t>(status.st_mode & 07777)};
}

}  // namespace shingled
