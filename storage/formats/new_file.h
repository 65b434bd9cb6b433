#pragma once

#include <cstdint>
#include <string>

#include "config/base/result.h"
#include "config/system/unique_fd.h"

namespace shingled::storage::formats {

/// A file that gets its name only when it is complete and on disk. Until then it is FILE.part; a
/// process that dies leaves at most that, and the next one takes it over. FILE is never half.
///
/// Threads: one thread.
class NewFile {
 public:
  enum class Existing : std::uint8_t { kRefuse, kReplace };

  /// Errors: kInvalid (FILE exists; another process is writing it), kNotFound (no such folder),
  /// kDenied, kUnavailable (disk); each names the file.
  static Result<NewFile> create(const std::string& path, Existing existing);
  ~NewFile();  ///< removes FILE.part, unless it was committed
  NewFile(NewFile&& other) noexcept = default;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  NewFile& operator=(NewFile&&) = delete;

  [[nodiscard]] const std::string& part() const { return part_; }  ///< what to write to
  [[nodiscard]] int fd() const { return fd_.get(); }               ///< the same, open and empty
  /// Syncs it and gives it its name.
  /// Errors: kInvalid when FILE has come into being meanwhile, kUnavailable when the disk refuses.
  Status commit();

 private:
  NewFile(std::string path, std::string part, UniqueFd fd, Existing existing)
      : path_(std::move(path)), part_(std::move(part)), fd_(std::move(fd)), existing_(existing) {}

  std::string path_;
  std::string part_;
  UniqueFd fd_;  ///< holds a lock on FILE.part; none = committed or moved from
  Existing existing_;
};

}  // namespace shingled::storage::formats
