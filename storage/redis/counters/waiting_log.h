#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/base/result.h"
#include "config/system/file_system.h"
#include "storage/counters/addition.h"
#include "storage/counters/counter_store.h"
#include "storage/log/record_log.h"

namespace shingled::storage::redis {

/// What a log holds: a call of `add` with the slot in which it was made, or a counter that was
/// imported.
using WaitingItem = std::variant<counters::PastAddition, counters::CounterSeries>;

/// The name of a log: which daemon wrote it, and which of its logs it is. A daemon gets a new
/// number at each start.
struct WaitingName {
  std::uint64_t writer = 0;
  std::uint32_t generation = 0;

  [[nodiscard]] std::string file() const;  ///< "0123456789abcdef-0000002a.waiting"
  static std::optional<WaitingName> parse(std::string_view file);
  friend auto operator<=>(const WaitingName&, const WaitingName&) = default;
};

/// Appends what waits to be sent (storage/COUNTERS.md section 7).
/// Threads: one thread.
class WaitingLog {
 public:
  /// Errors: those of the FileSystem.
  static Result<std::unique_ptr<WaitingLog>> create(FileSystem& files, const WaitingName& name);

  /// Appends all items with one write, or none. They get the numbers from `first` on.
  /// Errors: kUnavailable.
  Status append(std::span<const WaitingItem> items, std::uint64_t first);
  Status append(const counters::PastAddition& addition, std::uint64_t number);
  Status sync() { return log_->sync(); }
  [[nodiscard]] std::uint64_t bytes() const { return log_->bytes(); }

 private:
  explicit WaitingLog(std::unique_ptr<log::RecordLog> log) : log_(std::move(log)) {}

  std::unique_ptr<log::RecordLog> log_;
};

/// Calls `take` with each item and its number. Returns how many bytes are lost (log::LogReading).
/// Errors: kNotFound, kUnavailable, kCorrupt (not a log of this kind and name).
Result<std::uint64_t> read_waiting_log(
    FileSystem& files, const WaitingName& name,
    const std::function<void(std::uint64_t number, const WaitingItem&)>& take);

}  // namespace shingled::storage::redis
