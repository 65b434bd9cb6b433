#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

/// One part of a digest as the file has it.
struct StoredPart {
  std::int64_t store = 0;  ///< number in `stores`; 0 = the file's own
  Part part;
  std::uint32_t mark = 0;  ///< which resynchronisation brought it
};

/// The parts of the digests that other stores teach, too. A digest without a row here has one part,
/// the file's own: that is its row in `digests`. Where others have a part, all parts stand here,
/// and `digests` has what they make together.
///
/// Shingles equal to those of the row in `digests` are not written a second time.
/// Errors: those of Database, kCorrupt for a row that cannot be one of ours.
/// Threads: one thread.
class PartTable {
 public:
  static Result<PartTable> open(Database& database);

  /// Is there any row? May say yes for a while when there is none any more.
  [[nodiscard]] bool any() const { return any_; }
  struct Parts {
    std::vector<StoredPart> parts;  ///< by store
    std::optional<Error> damage;    ///< the first of those that are left out: kCorrupt
  };
  /// All parts of a digest that can be read; `shingles` are those of its row in `digests`.
  Result<Parts> of(std::int64_t digest_id, const std::optional<Shingles>& shingles);
  /// Rows from `after` on, at most `most`, whose part is as old as that or older: the ids of their
  /// digests, and where to go on (0 = that was the end).
  struct Walk {
    std::vector<std::int64_t> digest_ids;
    std::int64_t next = 0;
  };
  Result<Walk> updated_until(std::uint32_t time, std::int64_t after, std::int64_t most);

  // ---- writing; inside a transaction
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

/// The columns of a row of `parts`, from `column` on: store, flags, updated, created, source,
/// shingle_set, mark. `shingles` as above. kCorrupt names the file and the digest's row.
Result<StoredPart> read_part(const Database& database, const Statement& row, int column,
                             std::int64_t digest_id, const std::optional<Shingles>& shingles);

}  // namespace shingled::storage::sqlite
