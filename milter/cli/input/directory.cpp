#include "milter/cli/input/directory.h"

#include <algorithm>
#include <filesystem>

#include "config/system/os_error.h"

namespace shingled::milter::cli {

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

}  // namespace shingled::milter::cli
