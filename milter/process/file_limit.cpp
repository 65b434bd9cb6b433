#include "milter/process/file_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace shingled::milter::process {

FileBudget FileBudget::of(const Settings& settings) {
  FileBudget budget;
  budget.reserve = kForFiles;
  if (settings.milter.enabled) budget.reserve += kForMail;
  budget.reserve += settings.http.listen.size() * std::uint64_t{settings.http.connections_max};
  return budget;
}

std::uint32_t FileBudget::connections(std::uint32_t wanted) const {
  const std::uint64_t left = limit - std::min(limit, reserve);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(wanted, std::max<std::uint64_t>(left, kTcpMin)));
}

std::uint64_t raise_file_limit(std::uint64_t wanted) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
  if (files.rlim_cur >= wanted) return files.rlim_cur;
  rlimit raised = files;
  raised.rlim_cur = std::min<rlim_t>(wanted, files.rlim_max);
  return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : files.rlim_cur;
}

}  // namespace shingled::milter::process
