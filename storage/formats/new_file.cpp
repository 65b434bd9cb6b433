#include "storage/formats/new_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "config/system/os_error.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::storage::formats {
namespace {

Error exists(const std::string& path) {
  return {ErrorCode::kInvalid, path + ": exists already; --force replaces it"};
}

/// Whether this is still the file with that name. Another process may have completed and renamed it
/// after we opened it and before we got the lock.
bool is_named(int fd, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino && S_ISREG(open.st_mode);
}

int rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;  // EINVAL: this file system cannot do it
  if (::link(from.c_str(), to.c_str()) != 0) return -1;
  return ::unlink(from.c_str());
}

Status sync_folder_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return os_write_error(errno, folder);
  return {};
}

}  // namespace

Result<NewFile> NewFile::create(const std::string& path, Existing existing) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return Error{ErrorCode::kInvalid, path + ": is a directory"};
    if (existing == Existing::kRefuse) return exists(path);
  }
  std::string part = path + ".part";
  UniqueFd fd = sqlite::create_file(part);
  if (!fd) {
    const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    fd = UniqueFd(::open(part.c_str(), flags, sqlite::kFileMode));
  }
  if (!fd) return os_write_error(errno, part);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 || !is_named(fd.get(), part)) {
    return Error{ErrorCode::kInvalid, part + ": another process is writing it"};
  }
  if (::ftruncate(fd.get(), 0) != 0) return os_write_error(errno, part);
  return NewFile(path, std::move(part), std::move(fd), existing);
}

NewFile::~NewFile() {
  if (fd_) ::unlink(part_.c_str());
}

Status NewFile::commit() {
  if (::fsync(fd_.get()) != 0) return os_write_error(errno, part_);
  const int renamed = existing_ == Existing::kReplace ? std::rename(part_.c_str(), path_.c_str())
                                                      : rename_to_new(part_, path_);
  if (renamed != 0) return errno == EEXIST ? exists(path_) : os_write_error(errno, path_);
  fd_.reset();
  return sync_folder_of(path_);
}

}  // namespace shingled::storage::formats
