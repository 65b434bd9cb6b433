#pragma once

#include <cstdint>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

/// Takebacks kept; the oldest go first.
inline constexpr std::int64_t kTakebacksMax = 65'536;

/// What this store has asked others to take back and has not seen taken back yet. As long as it
/// stands here, the part in question stays hidden; a mirror that is compared as a whole hears it
/// again.
/// Errors: those of Database.
/// Threads: one thread.
class TakebackTable {
 public:
  static Result<TakebackTable> open(Database& database);

  /// Is there any? May say yes for a while when there is none any more.
  [[nodiscard]] bool any() const { return any_; }
  /// The lists in question; 0 = all.
  Result<std::vector<std::uint32_t>> of(const Digest& digest, std::int64_t store);

  // ---- inside a transaction
  Status add(const Takeback& takeback, std::int64_t store);
  /// The owner has answered.
  Status remove(const Digest& digest, std::int64_t store, std::uint32_t flag);
  /// The owner has said all it has.
  Status remove_all(std::int64_t store);

 private:
  struct Statements {
    Statement select;
    Statement insert;
    Statement trim;
    Statement remove;
    Statement remove_all;
  };

  TakebackTable(Database& database, bool any, Statements statements)
      : database_(&database), any_(any), statements_(std::move(statements)) {}

  Database* database_;
  bool any_;
  Statements statements_;
};

}  // namespace shingled::storage::sqlite
