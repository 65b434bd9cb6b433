#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/base/result.h"

namespace shingled {

/// A file that only grows.
/// Errors:  kUnavailable (disk full, I/O), without the path.
/// Threads: one thread, except `sync`, which may run beside the others.
class AppendFile {
 public:
  virtual ~AppendFile() = default;
  /// Appends all bytes to the others, or none: what a failed write left is cut off again. If
  /// that fails, too, every later call fails.
  virtual Status append(BytesView bytes) = 0;
  /// What was appended before is on the disk afterwards.
  virtual Status sync() = 0;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
};

/// The content of a file as memory.
/// Threads: any thread. Reading the bytes may fail like any read of a disk: use
/// `read_mapped` (config/system/mapped_read.h).
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  [[nodiscard]] virtual BytesView bytes() const = 0;
};

/// A file that this process has for itself as long as this lives.
class FileHold {
 public:
  virtual ~FileHold() = default;
};

/// What became of `FileSystem::hold`.
struct HeldFile {
  std::unique_ptr<FileHold> hold;  ///< null: another process has the file
  std::uint64_t owner = 0;         ///< user number
};

/// The files of one folder, by name. Tests put a disk in its place that fails, or forgets what was
/// not synced.
/// Errors:  those of os_error and os_write_error, with the path.
/// Threads: any thread.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// A new, empty file; replaces one of the same name.
  virtual Result<std::unique_ptr<AppendFile>> create(const std::string& name) = 0;
  /// Errors: also kCorrupt (a pipe, a socket, a symbolic link or another thing that is not a regular file).
  virtual Result<std::unique_ptr<MappedFile>> map(const std::string& name) = 0;
  /// Keeps the file from others that call this, without waiting; whoever may read it may do so.
  /// Errors: as `map`; kNotFound also if it was removed meanwhile.
  virtual Result<HeldFile> hold(const std::string& name) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;
  /// No error if there is no such file.
  virtual Status remove(const std::string& name) = 0;
  /// What the file has is on the disk afterwards, whoever wrote it. No error if there is no such
  /// file.
  virtual Status sync(const std::string& name) = 0;
  /// Names and removals are on the disk afterwards.
  virtual Status sync_names() = 0;
  virtual Result<std::vector<std::string>> names() = 0;
  /// What this process may still write there.
  virtual Result<std::uint64_t> free_bytes() = 0;
};

/// Who may read a new file.
enum class NewFiles : std::uint8_t { kGroupReads, kOwnerReads };

/// The folder at `path`, which must exist. New files have mode 0640, or 0600 for their owner alone.
/// If root makes them, they belong to the owner of the folder.
std::unique_ptr<FileSystem> folder_files(std::string path, NewFiles mode = NewFiles::kGroupReads);

}  // namespace shingled
