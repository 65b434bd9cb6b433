#include "milter/backup/new_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "config/system/os_error.h"
#include "milter/backup/file_copy.h"
#include "milter/backup/manifest.h"

namespace shingled::milter::backup {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kFolderMode = 0700;
/// The file that says that DIR.part is ours, and not complete.
constexpr const char* kMarkName = "unfinished";

/// Whether the backup may have this name.
Status check_name(const std::string& path) {
  struct stat info {};
  struct stat above {};
  if (::lstat(path.c_str(), &info) != 0)
    return errno == ENOENT ? Status() : Status(os_error(errno, path));
  if (!S_ISDIR(info.st_mode))
    return Error{ErrorCode::kInvalid,
                 path + ": exists and is not a folder; a backup is a folder of its own"};
  std::error_code failure;
  const bool is_empty = fs::is_empty(path, failure);
  if (failure) return os_error(failure.value(), path);
  if (!is_empty)
    return Error{ErrorCode::kInvalid, path +
                                          ": is not empty; allowed: a folder that does not exist "
                                          "yet, or an empty one"};
  // A folder gets its name by a rename, which a mount point refuses.
  if (::lstat(fs::path(path).parent_path().c_str(), &above) == 0 && above.st_dev != info.st_dev)
    return Error{ErrorCode::kInvalid, path + ": is a mount point; name a folder in it"};
  return {};
}

/// Whether this is still the folder with that name, and not one that was completed meanwhile.
bool is_named(int fd, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

/// Removes what a process that died left. What somebody else put there stays.
Status make_empty(const std::string& part) {
  std::error_code failure;
  if (fs::is_empty(part, failure)) return {};
  if (::access((part + '/' + kMarkName).c_str(), F_OK) != 0 &&
      ::access((part + '/' + kManifestName).c_str(), F_OK) != 0) {
    return Error{ErrorCode::kInvalid,
                 part + ": is in the way and no backup that was cut off; rename or remove it"};
  }
  for (const auto& entry : fs::directory_iterator(part, failure)) {
    fs::remove_all(entry.path(), failure);
    if (failure) return os_write_error(failure.value(), entry.path().string());
  }
  if (failure) return os_write_error(failure.value(), part);
  return {};
}

}  // namespace

Result<NewFolder> NewFolder::create(const std::string& wanted) {
  std::string path = plain_path(wanted);
  if (Status free = check_name(path); !free) return free.error();
  std::string part = path + ".part";
  const bool is_new = ::mkdir(part.c_str(), kFolderMode) == 0;
  if (!is_new && errno != EEXIST) return os_write_error(errno, part);
  UniqueFd fd(::open(part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return os_write_error(errno, part);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 || !is_named(fd.get(), part))
    return Error{ErrorCode::kInvalid, part + ": another process is writing it"};
  if (!is_new) {
    if (Status emptied = make_empty(part); !emptied) return emptied.error();
  }
  // Whatever the umask, and whoever made it.
  if (::fchmod(fd.get(), kFolderMode) != 0) return os_write_error(errno, part);
  NewFolder out(std::move(path), std::move(part), std::move(fd));
  if (Status marked = write_file(out.file(kMarkName), ""); !marked) return marked.error();
  return out;
}

NewFolder::~NewFolder() {
  if (!fd_) return;
  std::error_code failure;
  fs::remove_all(part_, failure);
}

Status NewFolder::commit() {
  if (::unlink(file(kMarkName).c_str()) != 0 || ::fsync(fd_.get()) != 0)
    return os_write_error(errno, part_);
  if (std::rename(part_.c_str(), path_.c_str()) != 0) {
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
      return os_write_error(errno, path_);
    return Error{ErrorCode::kInvalid, path_ + ": has files by now"};
  }
  fd_.reset();
  return sync_folder(fs::path(path_).parent_path().string());
}

}  // namespace shingled::milter::backup
