#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/byte_reader.h"
#include "config/base/result.h"
#include "config/system/file_system.h"

namespace shingled::storage::log {

/// The checksum of a block or a record: XXH3, 64 bits. Finds damage, not forgery.
std::uint64_t checksum(BytesView bytes);

/// One kind of log. The file begins with the magic, the fields of the kind and a checksum of both.
/// Each record is the number of bytes of its body (u32), a checksum (u64) of its place in the file,
/// of that number and of the body; then the body. So a record of another place or file does not
/// count.
/// Source: COUNTERS.md sections 4 and 7.
struct LogKind {
  std::string_view what;  ///< "counters", for errors
  std::array<std::uint8_t, 8> magic{};
  std::size_t fields_bytes = 0;
  std::size_t body_bytes_min = 0;
  std::size_t body_bytes_max = 0;
};

/// A file to which records are appended, several with one write.
/// Threads: one thread; `sync` beside it from any thread.
/// Cost:    one write(2) for each `write`.
class RecordLog {
 public:
  /// A new log without records. Not synced yet.
  /// Errors: those of FileSystem; then the file is not there.
  static Result<std::unique_ptr<RecordLog>> create(FileSystem& files, const std::string& name,
                                                   const LogKind& kind, BytesView fields);

  /// Adds a record to those of the next `write`. `append_body` is called with the bytes to which it
  /// appends the body.
  template <typename AppendBody>
  void add(const AppendBody& append_body) {
    const std::size_t begin = begin_record();
    append_body(records_);
    end_record(begin);
  }
  /// Writes the records that were added: all of them, or none.
  /// Errors: kUnavailable.
  Status write();
  /// What was written survives a power cut afterwards.
  Status sync() { return file_->sync(); }
  [[nodiscard]] std::uint64_t bytes() const { return file_->size(); }

 private:
  explicit RecordLog(std::unique_ptr<AppendFile> file) : file_(std::move(file)) {}
  std::size_t begin_record();
  void end_record(std::size_t begin);

  std::unique_ptr<AppendFile> file_;
  Bytes records_;  ///< not written yet; kept to be used again
};

/// What the reading of a log found.
struct LogReading {
  std::uint64_t records = 0;
  /// Not in a whole record: at the end, of a call that never returned; elsewhere, of damage.
  std::uint64_t bytes_lost = 0;
};

/// Calls `begin` with the fields, then `take` with the body of each record, in order. `begin` says
/// whether they are those of the log that is wanted; `take` whether it could use the record, which
/// is lost otherwise. A record that is not whole is passed over: the next one is found by its
/// checksum. A file that ends within its beginning is of a process that ended while it made the
/// log: it has no records, and `begin` is not called.
/// Errors: those of FileSystem; kUnavailable if the disk cannot be read; kCorrupt if its beginning
///         is not that of the log that is wanted; those of `take`.
Result<LogReading> read_records(FileSystem& files, const std::string& name, const LogKind& kind,
                                const std::function<bool(BytesView fields)>& begin,
                                const std::function<Result<bool>(BytesView body)>& take);

}  // namespace shingled::storage::log
