#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/model/fuzzy_store.h"
#include "storage/model/timed_update.h"
#include "storage/sqlite/owned_file.h"

namespace shingled::storage::sqlite {

/// Updates that wait on the disk, in order, for a server that is away (SCHEMA.md, "The journal").
/// What `append` said yes to survives a crash of the machine.
///
/// Errors: those of Database; kCorrupt for a file or row that is not ours. One process has it.
/// Threads: one thread.
class UpdateJournal {
 public:
  struct Entry {
    std::int64_t id = 0;
    Update update;
    std::uint32_t time = 0;
  };

  ~UpdateJournal();
  UpdateJournal(const UpdateJournal&) = delete;
  UpdateJournal& operator=(const UpdateJournal&) = delete;
  UpdateJournal(UpdateJournal&&) = delete;
  UpdateJournal& operator=(UpdateJournal&&) = delete;

  /// Opens or makes the file.
  static Result<std::unique_ptr<UpdateJournal>> open(const std::string& path);

  /// All of them, or none.
  Status append(std::span<const TimedUpdate> updates);
  /// The oldest ones, at most so many.
  Result<std::vector<Entry>> first(std::size_t most);
  /// Forgets all up to this one, which is there.
  Status remove_through(std::int64_t id);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Statements;
  UpdateJournal(OwnedFile file, std::unique_ptr<Statements> statements);

  OwnedFile file_;
  std::unique_ptr<Statements> statements_;  ///< go before the database
  std::size_t size_ = 0;
  std::int64_t last_id_ = 0;
};

}  // namespace shingled::storage::sqlite
