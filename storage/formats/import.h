#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "config/base/result.h"
#include "storage/formats/digest_rows.h"
#include "storage/model/work_watcher.h"
#include "storage/sqlite/fuzzy_table.h"
#include "storage/sqlite/part_table.h"

namespace shingled::storage::formats {

/// What happens with a digest that is stored already.
enum class MergeRule : std::uint8_t {
  kSum,     ///< the weights add up, list by list: two storages that were taught by different people
  kLarger,  ///< the larger weight of each list: two that were taught the same; again changes
            ///< nothing
  kSkip,    ///< what is stored stays as it is
  kReplace,  ///< what comes takes its place
};

/// What is stored and what comes, made one. But for kSkip and kReplace: `created` is the earlier,
/// `updated` the later, `source` that of the later one. Shingles: the stored ones if there are any.
sqlite::FuzzyRow merged(const sqlite::FuzzyRow& stored, const sqlite::FuzzyRow& coming,
                        MergeRule rule);

/// What comes, with times that can be: for no time `now`, none far ahead (plausible_time), and
/// `updated` no earlier than `created`, as it is where a clock had stepped back.
sqlite::FuzzyRow with_plausible_times(sqlite::FuzzyRow coming, std::uint32_t now);

/// Brings many rows into a database file that no daemon has open, in one transaction: killed,
/// stopped or out of disk before `commit`, the file is as it was.
///
/// Errors: those of FileLock and FuzzyTable.
/// Threads: one thread.
/// Cost: up to 43 bytes of memory a stored or coming digest, and for the WAL as much disk as the
/// new rows take.
class Import {
 public:
  struct Counts {
    std::uint64_t added = 0;
    std::uint64_t merged = 0;
    std::uint64_t unchanged = 0;
  };

  /// Opens or creates the file and reads which digests it has. What follows is in no journal, so
  /// mirrors of this store will compare everything.
  static Result<std::unique_ptr<Import>> open(const std::string& hashfile, MergeRule rule,
                                              const Watcher& watcher);
  /// The row's id is ignored; it has at least one flag.
  Status take(const sqlite::FuzzyRow& coming);
  Status commit();
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  Import(std::unique_ptr<sqlite::FuzzyTable> table, MergeRule rule)
      : table_(std::move(table)), rule_(rule) {}
  Status read_digests(const Watcher& watcher);
  Status merge_into(const sqlite::FuzzyRow& stored, const sqlite::FuzzyRow& coming);
  /// The same for a digest that other stores teach as well: what comes is merged with our part.
  Status merge_into_parts(const sqlite::FuzzyRow& stored, std::vector<sqlite::StoredPart> parts,
                          const sqlite::FuzzyRow& coming);

  std::unique_ptr<sqlite::FuzzyTable> table_;
  std::optional<sqlite::Transaction> transaction_;
  MergeRule rule_;
  DigestRows rows_;
  Counts counts_;
};

}  // namespace shingled::storage::formats
