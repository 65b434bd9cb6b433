#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// One part of a digest, as the file has it.
struct StoredPart {
  std::int64_t store = 0;  ///< number in `stores`; 0 = the file's own
  Part part;
  std::uint32_t mark = 0;  ///< number of the comparison that brought it; 0 = the journal
};

/// The parts of the digests that other stores teach, too. A digest without a row here has only the
/// file's own part, which is its row in `digests`. If another store has a part, all parts are here,
/// and the row in `digests` is made of them.
///
/// Shingles that are equal to those of the row in `digests` are not written a second time.
/// Errors: those of Database; kCorrupt for a row that cannot be valid.
/// Threads: one thread.
class PartTable {
 public:
  static Result<PartTable> open(Database& database);

  /// Whether there is any row. May stay true for a while after the last one has gone.
  [[nodiscard]] bool any() const { return any_; }
  struct Parts {
    std::vector<StoredPart> parts;  ///< ordered by store
    std::optional<Error> damage;    ///< why the first unreadable part is left out: kCorrupt
  };
  /// All parts of a digest that can be read. `shingles`: those of its row in `digests`.
  Result<Parts> of(std::int64_t digest_id, const std::optional<Shingles>& shingles);
  /// Looks at the rows of digests after `after`, at most `most` rows. Returns the ids of the
  /// digests with a part that was last updated at `time` or before, and where to continue (0 =
  /// there are no more).
  struct Walk {
    std::vector<std::int64_t> digest_ids;
    std::int64_t next = 0;
  };
  Result<Walk> updated_until(std::uint32_t time, std::int64_t after, std::int64_t most);

  // ---- writing; inside a transaction ----
  Status put(std::int64_t digest_id, const StoredPart& part,
             const std::optional<Shingles>& shingles);
  Status remove(std::int64_t digest_id);

 private:
  struct Statements {
    Statement select;
    Statement walk;
    Statement insert;
    Statement remove;
  };

  PartTable(Database& database, bool any, Statements statements)
      : database_(&database), any_(any), statements_(std::move(statements)) {}

  Database* database_;
  bool any_;
  Statements statements_;
};

/// Reads a row of `parts`. Its columns begin at `column`: store, flags, updated, created, source,
/// shingle_set, mark. `shingles`: those of the row in `digests`.
/// Errors: kCorrupt; names the file and the digest's row.
Result<StoredPart> read_part(const Database& database, const Statement& row, int column,
                             std::int64_t digest_id, const std::optional<Shingles>& shingles);

}  // namespace shingled::storage::sqlite
