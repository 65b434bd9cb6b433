#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <span>
#include <vector>

#include "config/base/result.h"
#include "storage/model/fuzzy_store.h"
#include "storage/sqlite/reports/report_table.h"

namespace shingled::milter::reports {

/// The weights of hashes on their lists, in their order, whoever put them there; 0 of one that is
/// not on its list. `now`: Unix seconds.
/// Errors: kUnavailable: the storage cannot be reached.
Result<std::vector<std::int32_t>> stored_weights(
    const storage::FuzzyStore& store, std::span<const storage::sqlite::ReportedHash> hashes,
    std::uint32_t now);

/// Brings the storage from what reports taught to what they should have taught. What others taught
/// stays: less is taken off if less is left, and a hash that nobody else taught is deleted from the
/// list again.
/// Threads: one at a time.
class Teacher {
 public:
  /// How long one call waits for the storage.
  struct Patience {
    std::chrono::milliseconds teach = std::chrono::seconds(20);
    std::chrono::milliseconds settle = std::chrono::seconds(3);
  };
  /// `closing`: once it is true, nothing waits any more; it must outlive the teacher.
  explicit Teacher(Patience patience, const std::atomic<bool>* closing = nullptr)
      : patience_(patience), closing_(closing) {}
  Teacher() : Teacher(Patience{}) {}

  /// Errors: kTimeout; that of an update. Others may have been made, and after kTimeout may still
  /// be made.
  Status teach(storage::FuzzyStore& store, std::span<const storage::sqlite::HashChange> changes);
  /// Waits for the updates that had no answer in time. Until then nobody knows what they will
  /// change.
  /// Errors: kTimeout: some still have none.
  Status settle();

 private:
  /// Waits for all answers; forgets those that came. Returns the last of their errors.
  Status wait(std::chrono::milliseconds patience);
  /// Whether an answer came in time.
  [[nodiscard]] bool comes(const std::future<Status>& answer,
                           std::chrono::milliseconds patience) const;

  Patience patience_;
  const std::atomic<bool>* closing_ = nullptr;
  std::vector<std::future<Status>> under_way_;
};

}  // namespace shingled::milter::reports
