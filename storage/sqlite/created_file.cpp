#include "storage/sqlite/created_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "config/system/permission.h"

namespace shingled::storage::sqlite {

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
