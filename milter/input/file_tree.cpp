#include "milter/input/file_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "config/system/os_error.h"

namespace shingled::milter::input {

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

Result<std::vector<std::string>> names_in(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry(directory, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    names.push_back(entry->path().filename().string());
  }
  if (failure) return os_error(failure.value());
  std::sort(names.begin(), names.end());
  return names;
}

std::string below(const std::string& directory, const std::string& name) {
  return directory.ends_with('/') ? directory + name : directory + "/" + name;
}

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

}  // namespace shingled::milter::input
