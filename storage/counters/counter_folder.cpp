#include "storage/counters/counter_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "config/system/os_error.h"

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
  // Made by root: it belongs to whom the folder above belongs, as the daemon may be another user.
  const std::string above = std::filesystem::path(path).parent_path();
  struct stat owner {};
  if (::geteuid() == 0 && ::stat(above.empty() ? "." : above.c_str(), &owner) == 0 &&
      owner.st_uid != 0)
    static_cast<void>(::chown(path.c_str(), owner.st_uid, owner.st_gid) == 0);
  return {};
}

}  // namespace shingled::storage::counters
