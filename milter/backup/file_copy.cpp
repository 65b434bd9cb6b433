#include "milter/backup/file_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "config/base/hex.h"
#include "config/system/byte_transfer.h"
#include "config/system/os_error.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled::milter::backup {

namespace {

constexpr std::size_t kPieceBytes = 1UL << 20U;
constexpr mode_t kNewFileMode = 0600;

/// Reads a file to its end. Each piece goes to `take`, which returns a Status.
template <typename Take>
Result<FileSum> read_all(int fd, const std::string& path, ByteProgress& progress,
                         const Take& take) {
  const auto buffer = std::make_unique<std::array<char, kPieceBytes>>();
  fingerprint::Sha256 hash;
  FileSum out;
  for (;;) {
    const ssize_t count = ::read(fd, buffer->data(), buffer->size());
    if (count < 0 && errno == EINTR) {
      if (!progress.add(0)) return storage::stopped();
      continue;
    }
    if (count < 0) return os_error(ErrorCode::kUnavailable, errno, path);
    if (count == 0) break;
    const std::string_view piece(buffer->data(), static_cast<std::size_t>(count));
    hash.add(piece);
    out.bytes += piece.size();
    if (Status taken = take(piece); !taken) return taken.error();
    if (!progress.add(piece.size())) return storage::stopped();
  }
  out.sha256 = to_hex(hash.finish());
  return out;
}

/// A new file; the owner alone may use it.
Result<UniqueFd> make_file(const std::string& path) {
  UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kNewFileMode));
  if (!fd) return os_write_error(errno, path);
  return fd;
}

}  // namespace

std::string plain_path(const std::string& path) {
  std::error_code failure;
  std::string out = std::filesystem::absolute(path, failure).lexically_normal();
  while (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

bool is_there(const std::string& path) {
  struct stat there {};
  return ::lstat(path.c_str(), &there) == 0 || errno != ENOENT;
}

std::string folder_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

Result<UniqueFd> open_to_read(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return os_error(errno, path);
  if (!S_ISREG(info.st_mode)) return Error{ErrorCode::kDenied, path + ": is not a regular file"};
  return fd;
}

Result<FileSum> sum_of(const std::string& path, ByteProgress& progress) {
  const auto fd = open_to_read(path);
  if (!fd) return fd.error();
  return read_all(fd->get(), path, progress, [](std::string_view) { return Status(); });
}

Result<FileSum> copy_file(const std::string& from, const std::string& to, ByteProgress& progress) {
  const auto source = open_to_read(from);
  if (!source) return source.error();
  const auto target = make_file(to);
  if (!target) return target.error();
  auto copied = read_all(source->get(), from, progress, [&](std::string_view piece) {
    Status written = write_all(target->get(), as_bytes(piece));
    return written ? written : Status(written.error().in(to));
  });
  if (copied && ::fsync(target->get()) != 0) copied = os_write_error(errno, to);
  if (!copied) ::unlink(to.c_str());
  return copied;
}

Status write_file(const std::string& to, std::string_view text) {
  const auto target = make_file(to);
  if (!target) return target.error();
  Status written = write_all(target->get(), as_bytes(text));
  if (!written) written = written.error().in(to);
  if (written && ::fsync(target->get()) != 0) written = os_write_error(errno, to);
  if (!written) ::unlink(to.c_str());
  return written;
}

Status sync_folder(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return os_write_error(errno, path);
  return {};
}

Status give_to(const std::string& path, uid_t owner, gid_t group, mode_t mode) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return os_write_error(errno, path);
  if (!S_ISDIR(info.st_mode) && (!S_ISREG(info.st_mode) || info.st_nlink != 1))
    return Error{ErrorCode::kDenied, path + ": is another file than the one that was written"};
  // Only root may give files away; others own what they make.
  if (::geteuid() == 0 && ::fchown(fd.get(), owner, group) != 0) return os_write_error(errno, path);
  if (::fchmod(fd.get(), mode) != 0 || ::fsync(fd.get()) != 0) return os_write_error(errno, path);
  return {};
}

}  // namespace shingled::milter::backup
