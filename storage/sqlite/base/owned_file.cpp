#include "storage/sqlite/base/owned_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "config/system/os_error.h"
#include "config/system/permission.h"

namespace shingled::storage::sqlite {

namespace {

/// " (process 123)", as the holder wrote it into the lock file; empty if there is no number.
std::string holder(int fd) {
  std::array<char, 24> text{};
  const ssize_t count = ::pread(fd, text.data(), text.size(), 0);
  std::string number(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  number.resize(std::min(number.size(), number.find_first_not_of("0123456789")));
  return number.empty() ? "" : " (process " + number + ")";
}

/// The reason why a file could not be opened or created.
Error failure_of(const std::string& path, int reason) {
  auto why = missing_permission(path, R_OK | W_OK);
  if (!why && reason == EACCES) {
    const std::size_t slash = path.find_last_of('/');
    why = missing_permission(slash == std::string::npos ? "." : path.substr(0, slash), W_OK | X_OK);
  }
  Error error = os_write_error(reason);
  if (why) error.message = *why;
  return error.in(path);
}

/// The folder does not exist yet. Normally the systemd unit creates it.
Error no_folder(const std::string& file) {
  const auto parent = std::filesystem::path(file).parent_path();
  return {ErrorCode::kNotFound, file + ": the folder " + parent.string() +
                                    " does not exist; make it for the user the daemon runs as, or "
                                    "name another file in the configuration"};
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& hashfile) {
  const std::string path = hashfile + ".lock";
  const auto taken = [&](int beside) {
    return Error{ErrorCode::kUnavailable,
                 hashfile + ": another shingled has it open" + holder(beside)};
  };
  UniqueFd fd = create_daemon_file(path);
  if (!fd) fd = UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode));
  if (!fd && errno == ENOENT) return no_folder(hashfile);
  if (!fd) return failure_of(path, errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return taken(fd.get());
  UniqueFd file = create_daemon_file(hashfile);
  if (!file) file = UniqueFd(::open(hashfile.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return failure_of(hashfile, errno);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return taken(fd.get());
  // Only for people to read: the lock also holds if the disk is full and the number cannot be
  // written.
  const std::string number = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) == 0) {
    static_cast<void>(::pwrite(fd.get(), number.data(), number.size(), 0) == 0);
  }
  return {FileLock(std::move(fd), std::move(file))};
}

Result<OwnedFile> OwnedFile::open(const std::string& path) {
  auto lock = FileLock::take(path);
  if (!lock) return lock.error();
  auto database = Database::open(path, Database::Access::kCreate);
  if (!database) return database.error();
  return OwnedFile{*std::move(lock), *std::move(database)};
}

UniqueFd create_file(const std::string& path) {
  UniqueFd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
  if (made) static_cast<void>(::fchmod(made.get(), kFileMode) == 0);
  return made;
}

UniqueFd create_daemon_file(const std::string& path) {
  UniqueFd made = create_file(path);
  if (made) give_to_folder_owner(made.get(), path);
  return made;
}

}  // namespace shingled::storage::sqlite
