#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "storage/model/work_watcher.h"
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

/// Makes a database that rspamd's fuzzy worker (backend sqlite) takes as its own.
///
/// What it has no place for stays out: lists but the first one, `created`, source, lost slots. Of
/// digests that share a slot the one inserted last gets it, as in rspamd.
/// Errors: those of Database, stopped.
/// Threads: one thread.
class RspamdWriter {
 public:
  ~RspamdWriter();
  RspamdWriter(const RspamdWriter&) = delete;
  RspamdWriter& operator=(const RspamdWriter&) = delete;
  RspamdWriter(RspamdWriter&&) = delete;
  RspamdWriter& operator=(RspamdWriter&&) = delete;

  /// `path` is an empty file that nobody else knows yet.
  static Result<std::unique_ptr<RspamdWriter>> create(const std::string& path);
  /// Rows with rising ids.
  Status insert(const FuzzyRow& row);
  /// Gives each slot its one owner and builds the indices: most of the work, and in SQLite's
  /// temporary folder (TMPDIR, /var/tmp) about as much room as the file takes.
  Status finish(const Watcher& watcher);

 private:
  struct Statements;
  RspamdWriter(std::unique_ptr<Database> database, std::unique_ptr<Statements> statements);

  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;
};

}  // namespace shingled::storage::sqlite
