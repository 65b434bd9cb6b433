#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/system/file_system.h"

namespace shingled::storage::counters {

// Names of the files in the folder of the counters.

std::string sealed_name(std::int64_t id);    ///< "17.counts"
std::string damaged_name(std::int64_t id);   ///< "17.counts.damaged": one that was set aside
std::string log_name(std::uint64_t number);  ///< "17.log"
/// nullopt if it is not the name of a log.
std::optional<std::uint64_t> log_number(std::string_view name);
/// Whether it is the name of a sealed file.
bool is_sealed_file(std::string_view name);
/// Whether it is a name that this folder may have, also a temporary one.
bool is_counter_file(std::string_view name);

/// Removes a log that does not count any more, and one that is damaged it puts aside: it is kept
/// for a person who wants to look at it, and nobody reads it under that name.
void drop_log(FileSystem& files, std::uint64_t number, bool is_damaged);

/// The numbers of logs and files, each larger than all before.
/// Threads: any thread; `begin_at` at the start alone.
class FileNumbers {
 public:
  [[nodiscard]] std::uint64_t take() { return next_++; }
  [[nodiscard]] std::uint64_t last() const { return next_ - 1; }
  /// Numbers below this one were used by an earlier process.
  void begin_at(std::uint64_t number) { next_ = std::max(next_.load(), number); }

 private:
  std::atomic<std::uint64_t> next_{1};
};

/// Makes the folder of the counters, mode 0700, if it is not there. The folder above it must exist.
/// Errors:  kDenied, kNotFound, kUnavailable, with the path.
/// Threads: any thread.
Status make_counter_folder(const std::string& path);

}  // namespace shingled::storage::counters
