#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "storage/model/work_watcher.h"
#include "storage/sqlite/fuzzy_table.h"

namespace shingled::storage::sqlite {

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
