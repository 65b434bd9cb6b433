#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "storage/model/work_watcher.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::sqlite {

/// Reads the database of rspamd's fuzzy worker (backend sqlite): each digest becomes a row of ours.
///
/// rspamd keeps one owner per slot, so a digest may have lost slots to later similar texts. It
/// keeps its shingles here if enough of them are left for a match (kMatchSlotsMin), with
/// `lost_slot` in place of the lost ones. With fewer, it becomes a hash without shingles.
/// Threads: one thread.
class RspamdReader {
 public:
  struct Row {
    std::int64_t id = 0;
    FuzzyRow row;             ///< `created` = `updated`: rspamd keeps one time. No source
    std::uint32_t slots = 0;  ///< slots that still belong to it, of 32
    std::string problem;      ///< not empty: why this digest cannot be imported
  };

  /// Errors: those of Database; kCorrupt if the tables are not those of rspamd.
  static Result<std::unique_ptr<RspamdReader>> open(const std::string& path);
  Result<std::int64_t> count() { return database_->integer("SELECT count(*) FROM digests"); }
  /// Calls `each` for every digest in the order of ids, until it returns false. Sees one moment of
  /// the file, even while rspamd writes to it.
  Status for_each(const std::function<bool(const Row&)>& each);

 private:
  explicit RspamdReader(std::unique_ptr<Database> database) : database_(std::move(database)) {}
  std::unique_ptr<Database> database_;
};

/// Makes a database that rspamd's fuzzy worker (backend sqlite) takes as its own.
///
/// The format has no place for lists after the first one, `created`, source and lost slots, so
/// these are left out. If digests share a slot, the one that was inserted last gets it, as in
/// rspamd.
/// Errors: those of Database; that of `stopped()` if the watcher ended it.
/// Threads: one thread.
class RspamdWriter {
 public:
  ~RspamdWriter();
  RspamdWriter(const RspamdWriter&) = delete;
  RspamdWriter& operator=(const RspamdWriter&) = delete;
  RspamdWriter(RspamdWriter&&) = delete;
  RspamdWriter& operator=(RspamdWriter&&) = delete;

  /// `path`: an empty file that nobody else uses yet.
  static Result<std::unique_ptr<RspamdWriter>> create(const std::string& path);
  /// Adds a row. The ids must rise from row to row.
  Status insert(const FuzzyRow& row);
  /// Gives each slot its one owner and builds the indices. This is most of the work. It needs about
  /// as much room as the file in SQLite's temporary folder (TMPDIR, /var/tmp).
  Status finish(const Watcher& watcher);

 private:
  struct Statements;
  RspamdWriter(std::unique_ptr<Database> database, std::unique_ptr<Statements> statements);

  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;
};

}  // namespace shingled::storage::sqlite
