#pragma once

#include <string>

#include "config/base/result.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::process {

/// The file with the number of the process. It is locked while the daemon runs; the destructor
/// removes it.
class PidFile {
 public:
  PidFile() = default;  ///< without a file
  /// Errors: kUnavailable (another process holds it), kDenied, kNotFound; each names the file.
  static Result<PidFile> create(const std::string& path);
  PidFile(PidFile&&) noexcept = default;
  PidFile& operator=(PidFile&&) noexcept = default;
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;
  ~PidFile();

 private:
  std::string path_;
  UniqueFd fd_;
};

}  // namespace shingled::milter::process
