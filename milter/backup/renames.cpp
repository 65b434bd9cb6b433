#include "milter/backup/renames.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>

#include "config/system/os_error.h"
#include "milter/backup/file_copy.h"

namespace shingled::milter::backup {

Renames::~Renames() {
  for (auto one = made_.rbegin(); one != made_.rend(); ++one)
    static_cast<void>(std::rename(one->to.c_str(), one->from.c_str()) == 0);
}

Status Renames::add(const std::string& from, const std::string& to) {
  struct stat there {};
  if (::lstat(to.c_str(), &there) == 0) return Error{ErrorCode::kInvalid, to + ": exists by now"};
  if (std::rename(from.c_str(), to.c_str()) != 0) return os_write_error(errno, from + " to " + to);
  made_.push_back({from, to});
  return {};
}

Status Renames::add_if_there(const std::string& from, const std::string& to) {
  struct stat there {};
  if (::lstat(from.c_str(), &there) != 0 && errno == ENOENT) return {};
  return add(from, to);
}

Status Renames::keep() {
  std::set<std::string> folders;
  for (const Rename& one : made_)
    folders.insert(std::filesystem::path(one.to).parent_path().string());
  for (const std::string& folder : folders) {
    if (Status synced = sync_folder(folder); !synced) return synced;
  }
  made_.clear();
  return {};
}

}  // namespace shingled::milter::backup
