#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage::sqlite {

/// The database of rspamd's fuzzy worker (backend sqlite), its digests as rows of ours.
///
/// rspamd keeps one owner a slot, so a digest may have lost slots to a later likeness. It keeps its
/// shingles here if enough are left for a match (kMatchSlotsMin), with `lost_slot` in the places of
/// the lost ones; with fewer it is a direct hash.
/// Threads: one thread.
class RspamdReader {
 public:
  struct Row {
    std::int64_t id = 0;
    FuzzyRow row;             ///< `created` = `updated`: rspamd keeps one time. No source
    std::uint32_t slots = 0;  ///< that still belong to it, of 32
    std::string problem;      ///< not empty: it cannot be taken
  };

  /// Errors: those of Database; kCorrupt where the tables are not rspamd's.
  static Result<std::unique_ptr<RspamdReader>> open(const std::string& path);
  Result<std::int64_t> count() { return database_->integer("SELECT count(*) FROM digests"); }
  /// Calls `each` for every digest in the order of ids until it returns false: at one moment of a
  /// file that rspamd may go on writing to.
  Status for_each(const std::function<bool(const Row&)>& each);

 private:
  explicit RspamdReader(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  std::unique_ptr<Database> database_;
};

}  // namespace shingled::storage::sqlite
