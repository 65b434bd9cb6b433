#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/result.h"
#include "storage/formats/digest_rows.h"
#include "storage/model/work_watcher.h"
#include "storage/sqlite/hashes/fuzzy_table.h"
#include "storage/sqlite/hashes/part_table.h"

namespace shingled::storage::formats {

/// How an import merges a digest that is stored already.
enum class MergeRule : std::uint8_t {
  kSum,      ///< adds the values of each list: for storages that different people taught
  kLarger,   ///< takes the larger value of each list: for storages that were taught the same;
             ///< a second import changes nothing
  kSkip,     ///< keeps the stored record
  kReplace,  ///< replaces the stored record
};

/// Merges a stored row and a row of the import. With kSum and kLarger, `created` is the earlier
/// time, `updated` the later one, and `source` that of the later update. The shingles are the
/// stored ones, if the stored row has any.
sqlite::FuzzyRow merged(const sqlite::FuzzyRow& stored, const sqlite::FuzzyRow& coming,
                        MergeRule rule);

/// Corrects the times of a row of the import. A missing time becomes `now`, a time far in the
/// future is limited (plausible_time), and an `updated` before `created` (after a clock was set
/// back) becomes `created`.
sqlite::FuzzyRow with_plausible_times(sqlite::FuzzyRow coming, std::uint32_t now);

/// Adds many rows to a database file that no daemon has open, in one transaction. If the process is
/// killed or stopped or the disk is full before `commit`, the file does not change.
///
/// Errors: those of FileLock and FuzzyTable.
/// Threads: one thread.
/// Cost: up to 43 bytes of memory per stored or new digest. The WAL needs as much disk as the new
/// rows.
class Import {
 public:
  struct Counts {
    std::uint64_t added = 0;
    std::uint64_t merged = 0;
    std::uint64_t unchanged = 0;
  };

  /// Opens or creates the file and reads its digests. The changes of an import are not in the
  /// journal, so the mirrors of this store will compare everything.
  static Result<std::unique_ptr<Import>> open(const std::string& hashfile, MergeRule rule,
                                              const Watcher& watcher);
  /// Adds or merges a row. Its id is ignored; it must have at least one flag.
  Status take(const sqlite::FuzzyRow& coming);
  Status commit();
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  Import(std::unique_ptr<sqlite::FuzzyTable> table, MergeRule rule)
      : table_(std::move(table)), rule_(rule) {}
  Status read_digests(const Watcher& watcher);
  Status merge_into(const sqlite::FuzzyRow& stored, const sqlite::FuzzyRow& coming);
  /// `merge_into` for a digest that has parts of other stores: `coming` is merged with our part.
  Status merge_into_parts(const sqlite::FuzzyRow& stored, std::vector<sqlite::StoredPart> parts,
                          const sqlite::FuzzyRow& coming);

  std::unique_ptr<sqlite::FuzzyTable> table_;
  std::optional<sqlite::Transaction> transaction_;
  MergeRule rule_;
  DigestRows rows_;
  Counts counts_;
};

}  // namespace shingled::storage::formats
