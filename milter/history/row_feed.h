#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::history {

/// Gives somebody the rows as they are recorded. While nobody listens it costs a message one read
/// of a number.
/// Threads: any thread.
class RowFeed {
 public:
  /// `is_kept`: whether a report of the message is possible. Called on the thread of the message:
  /// must not wait and not throw.
  using Take = std::function<void(storage::sqlite::HistoryRow row, bool is_kept)>;

  explicit RowFeed(Take take) : take_(std::move(take)) {}

  void set_wanted(bool wanted) { wanted_.store(wanted, std::memory_order_relaxed); }
  [[nodiscard]] bool is_wanted() const { return wanted_.load(std::memory_order_relaxed); }
  /// A copy without what is kept for reports, which is most of a row.
  static storage::sqlite::HistoryRow without_kept(const storage::sqlite::HistoryRow& row);
  void give(storage::sqlite::HistoryRow row, bool is_kept) const { take_(std::move(row), is_kept); }

 private:
  const Take take_;
  std::atomic<bool> wanted_{false};
};

}  // namespace shingled::milter::history
