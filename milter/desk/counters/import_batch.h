#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/result.h"
#include "storage/counters/counter.h"

namespace shingled::milter::desk {

/// The counter of a line of an export: {"name": "mass_in_…_14_10m_2831519", "count": 12}.
/// Errors: kInvalid with the reason.
Result<storage::counters::CounterKey> read_import_line(std::string_view line);

/// Whether it is the line of an export that says under which key it is: {"key":
/// "98dc12ab90ef3476"}.
bool is_mark_line(std::string_view line);

/// Puts lines together in batches. Lines of one counter that follow each other stay together, for a
/// total of a day says something only beside the ten minutes of that day.
/// Threads: one thread.
class ImportBatches {
 public:
  /// The lines of a batch, with the number of the first one and of the line after the last one.
  struct Batch {
    std::string lines;
    std::uint64_t first = 0;
    std::uint64_t next = 0;
  };
  using Send = std::function<Status(Batch)>;

  static constexpr std::size_t kBytesMost = 256UL * 1024;  ///< a batch ends at the next counter

  explicit ImportBatches(Send send) : send_(std::move(send)) {}

  /// Errors: those of `send`.
  Status add(const storage::counters::CounterKey& key, std::string_view line, std::uint64_t number);
  /// The line that says under which key the next lines are; each batch begins with it.
  /// Errors: those of `send`.
  Status set_mark(std::string_view line);
  [[nodiscard]] bool has_mark() const { return !mark_.empty(); }
  /// Sends what is left.
  Status finish();

 private:
  Send send_;
  Batch batch_;
  std::string mark_;
  std::optional<storage::counters::CounterKey> last_;
};

}  // namespace shingled::milter::desk
