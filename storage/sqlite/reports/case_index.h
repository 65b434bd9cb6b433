#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "config/base/result.h"
#include "mime/fingerprint/fingerprint.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// Finds which hashes of reports match each other by the storage's own rule: at least
/// kMatchSlotsMin equal slots. Hashes of one list only; a hash without shingles matches none.
///
/// It is in the file of the reports and not asked of the storage: most reported hashes are not
/// taught yet, so the storage does not have them, and whoever asks it over the network must not
/// learn what one person alone has reported.
///
/// A new hash is paired with the kPairsMax most similar of those before it. Hashes that came later
/// add themselves.
///
/// Errors:  those of Database. Changes belong to the transaction of the caller.
/// Lifetime: not longer than the Database.
/// Threads: one thread.
class CaseIndex {
 public:
  static constexpr std::size_t kPairsMax = 256;
  /// Of the hashes with one shingle in one slot so many are looked at, the newest.
  static constexpr std::size_t kSlotHashesMax = 10'000;
  /// Its tables, for a script.
  static const char* const kTables;

  static Result<CaseIndex> open(Database& database);

  /// Adds a hash; one that is there already is left alone.
  /// Cost: 32 look-ups, and a step for each equal slot of another hash.
  Status put(std::int64_t hash, std::uint32_t flag, const Shingles& shingles);
  /// Removes a hash. `shingles`: those it was put with.
  Status remove(std::int64_t hash, const Shingles& shingles);
  /// The hashes that match this one, without itself.
  Result<std::vector<std::int64_t>> matching(std::int64_t hash);

 private:
  struct Statements {
    Statement put_slot;
    Statement drop_slot;
    Statement equal_slots;
    Statement list;
    Statement put_pair;
    Statement drop_pairs_to;
    Statement drop_pairs;
    Statement pairs;
  };
  CaseIndex(Database& database, Statements statements)
      : database_(&database), statements_(std::move(statements)) {}

  Database* database_;
  Statements statements_;
};

}  // namespace shingled::storage::sqlite
