#include "milter/names/list_editor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "config/system/os_error.h"
#include "config/system/permission.h"
#include "milter/names/name_list.h"

namespace shingled::milter::names {

namespace {

constexpr mode_t kListMode = 0640;

struct OldFile {
  std::string text;
  std::optional<struct stat> info;  ///< empty: there is none
};

Result<OldFile> read_old(const std::string& path) {
  OldFile out;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ENOENT) return out;
  if (!fd && errno == ELOOP) return Error{ErrorCode::kDenied, path + ": is a symbolic link"};
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return os_error(errno).in(path);
  if (!S_ISREG(info.st_mode)) return Error{ErrorCode::kDenied, path + ": is not a regular file"};
  out.info = info;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(fd.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return os_error(errno).in(path);
    if (count == 0) return out;
    out.text.append(buffer.data(), static_cast<std::size_t>(count));
    if (out.text.size() > kListBytesMax)
      return Error{ErrorCode::kLimit, path + ": is longer than 64 MiB"};
  }
}

Status write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return os_write_error(errno);
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fsync(fd) == 0 ? Status() : Status(os_write_error(errno));
}

/// Gives the new file what the old one had, or what a file of this folder should have.
Status set_owner(int fd, const std::string& path, const std::optional<struct stat>& old) {
  if (!old) {
    give_to_folder_owner(fd, path);
    return ::fchmod(fd, kListMode) == 0 ? Status() : Status(os_write_error(errno));
  }
  // Only root may give a file away; for others the group may be one of theirs.
  if (::geteuid() == 0 && ::fchown(fd, old->st_uid, old->st_gid) != 0) return os_write_error(errno);
  if (::geteuid() != 0) static_cast<void>(::fchown(fd, static_cast<uid_t>(-1), old->st_gid) == 0);
  return ::fchmod(fd, old->st_mode & 0777U) == 0 ? Status() : Status(os_write_error(errno));
}

Status replace(const std::string& path, const std::string& text,
               const std::optional<struct stat>& old) {
  const std::string part = path + ".new";
  ::unlink(part.c_str());  // of a command that was killed; the lock says that none is at work
  const UniqueFd fd(
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return os_write_error(errno).in(part);
  Status done = write_all(fd.get(), text);
  if (done) done = set_owner(fd.get(), path, old);
  if (done && std::rename(part.c_str(), path.c_str()) != 0) done = os_write_error(errno);
  if (!done) {
    ::unlink(part.c_str());
    return done.error().in(path);
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const UniqueFd names(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (names) static_cast<void>(::fsync(names.get()) == 0);
  return {};
}

Result<UniqueFd> take_lock(const std::string& path) {
  const std::string lock = path + ".lock";
  UniqueFd fd(::open(lock.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kListMode));
  if (fd) {
    give_to_folder_owner(fd.get(), lock);
  } else if (errno == EEXIST) {
    fd = UniqueFd(::open(lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  }
  if (!fd && errno == ENOENT)
    return Error{ErrorCode::kNotFound, path + ": its folder does not exist"};
  if (!fd) return os_write_error(errno).in(lock);
  // flock(2) itself can wait, but not for a bounded time.
  constexpr std::chrono::milliseconds kLook{5};
  for (auto left = kListPatience / kLook; ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0; --left) {
    if (errno != EINTR && errno != EWOULDBLOCK) return os_write_error(errno).in(lock);
    if (left == 0) return Error{ErrorCode::kTimeout, path + ": somebody else is changing it"};
    std::this_thread::sleep_for(kLook);
  }
  return fd;
}

}  // namespace

Status edit_list(const std::string& path,
                 const std::function<Result<std::string>(std::string text)>& change) {
  const auto lock = take_lock(path);
  if (!lock) return lock.error();
  auto old = read_old(path);
  if (!old) return old.error();
  const auto text = change(std::move(old->text));
  if (!text) return text.error();
  if (text->size() > kListBytesMax)
    return Error{ErrorCode::kLimit, path + ": would be longer than 64 MiB"};
  return replace(path, *text, old->info);
}

}  // namespace shingled::milter::names
