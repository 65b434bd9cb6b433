#include "storage/sqlite/created_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace shingled::storage::sqlite {

UniqueFd create_file(const std::string& path) {
  UniqueFd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode));
  if (made) static_cast<void>(::fchmod(made.get(), kFileMode) == 0);
  return made;
}

UniqueFd create_daemon_file(const std::string& path) {
  UniqueFd made = create_file(path);
  if (!made || ::geteuid() != 0) return made;
  const auto parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  struct stat info {};
  if (::stat(folder.c_str(), &info) != 0 || info.st_uid == 0) return made;
  static_cast<void>(::fchown(made.get(), info.st_uid, info.st_gid) == 0);
  return made;
}

}  // namespace shingled::storage::sqlite
