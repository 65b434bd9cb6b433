#include "storage/engine/memory_bound.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace shingled::storage::engine {
namespace {

/// Measured with a million hashes with shingles: 390 bytes of memory per hash.
constexpr std::uint64_t kHashBytes = 400;
constexpr std::uint64_t kHashesMin = 1000;

std::uint64_t limit_of(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  return limit.rlim_cur;
}

/// The smallest `memory.max` of the process's control group (version 2) and the groups around it.
/// systemd sets it from MemoryMax.
std::uint64_t control_group_limit() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::ifstream groups("/proc/self/cgroup");
  std::uint64_t least = UINT64_MAX;
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    for (std::filesystem::path group = line.substr(4);; group = group.parent_path()) {
      std::ifstream file(root / group / "memory.max");
      std::uint64_t bytes = 0;
      if (file >> bytes) least = std::min(least, bytes);  // "max" is not a number
      if (group.empty()) break;
    }
  }
  return least;
}

std::uint64_t machine_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

}  // namespace

std::uint64_t memory_allowed() {
  return std::min(
      {machine_memory(), limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA), control_group_limit()});
}

std::uint64_t hashes_within(std::uint64_t memory_bytes) {
  return std::clamp(memory_bytes / 4 * 3 / kHashBytes, kHashesMin, kHashesMax);
}

}  // namespace shingled::storage::engine
