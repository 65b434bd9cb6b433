#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "config/base/result.h"
#include "config/system/unique_fd.h"

namespace shingled::storage::formats {

/// A new file that gets its name only when it is complete and on disk. Until then its name is
/// FILE.part. A process that dies leaves at most FILE.part, and the next process uses it again.
/// FILE is never incomplete.
///
/// Threads: one thread.
class NewFile {
 public:
  enum class Existing : std::uint8_t { kRefuse, kReplace };

  /// Errors: kInvalid (FILE exists, or another process is writing it), kNotFound (the folder does
  /// not exist), kDenied, kUnavailable (disk); each with the name of the file.
  static Result<NewFile> create(const std::string& path, Existing existing);
  ~NewFile();  ///< removes FILE.part if it was not committed
  NewFile(NewFile&& other) noexcept = default;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  NewFile& operator=(NewFile&&) = delete;

  [[nodiscard]] const std::string& part() const { return part_; }  ///< the name to write to
  [[nodiscard]] int fd() const { return fd_.get(); }               ///< FILE.part, open and empty
  /// Syncs the file and gives it its name.
  /// Errors: kInvalid if FILE exists by now, kUnavailable if the disk refuses.
  Status commit();

 private:
  NewFile(std::string path, std::string part, UniqueFd fd, Existing existing)
      : path_(std::move(path)), part_(std::move(part)), fd_(std::move(fd)), existing_(existing) {}

  std::string path_;
  std::string part_;
  UniqueFd fd_;  ///< has a lock on FILE.part; closed = committed or moved from
  Existing existing_;
};

}  // namespace shingled::storage::formats
