#pragma once

#include <string>

#include "config/base/result.h"
#include "config/system/unique_fd.h"

namespace shingled::milter::process {

/// The file that tells the process's number, locked while we run and removed when we end.
class PidFile {
 public:
  PidFile() = default;  ///< none
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
