#include "milter/cli/input/file_tree.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "config/system/os_error.h"
#include "milter/cli/input/directory.h"

namespace shingled::milter::cli {

namespace {

void add_tree(const std::string& directory, std::vector<TreeFile>& out) {
  const auto names = names_in(directory);
  if (!names) {
    out.push_back({directory, false, names.error()});
    return;
  }
  for (const std::string& name : *names) {
    std::string path = below(directory, name);
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
      if (errno != ENOENT) out.push_back({std::move(path), false, os_error(errno)});
      continue;
    }
    if (S_ISDIR(status.st_mode)) {
      add_tree(path, out);  // as deep as a path may be long
      continue;
    }
    const bool link = S_ISLNK(status.st_mode);
    if (link && ::stat(path.c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode)) out.push_back({std::move(path), false, std::nullopt});
  }
}

}  // namespace

std::vector<TreeFile> files_of(const std::vector<std::string>& arguments) {
  std::vector<TreeFile> out;
  for (const std::string& name : arguments) {
    struct stat status {};
    std::optional<Error> error;
    if (name != "-") {
      if (::stat(name.c_str(), &status) != 0) {
        error = os_error(errno);
      } else if (S_ISDIR(status.st_mode)) {
        add_tree(name, out);
        continue;
      }
    }
    out.push_back({name, true, std::move(error)});
  }
  return out;
}

}  // namespace shingled::milter::cli
