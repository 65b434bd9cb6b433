#include "storage/counters/counter_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "config/system/os_error.h"
#include "config/system/permission.h"
#include "config/system/unique_fd.h"

namespace shingled::storage::counters {

namespace {

constexpr mode_t kFolderMode = 0700;

}  // namespace

Status make_counter_folder(const std::string& path) {
  if (::mkdir(path.c_str(), kFolderMode) != 0) {
    const int reason = errno;
    struct stat there {};
    const bool is_folder = ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
    if (reason == EEXIST && is_folder) return {};
    return os_write_error(reason == EEXIST ? ENOTDIR : reason, path);
  }
  const UniqueFd made(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (made) give_to_folder_owner(made.get(), path);
  return {};
}

}  // namespace shingled::storage::counters
