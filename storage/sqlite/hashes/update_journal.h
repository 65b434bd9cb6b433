#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/model/fuzzy_store.h"
#include "storage/sqlite/base/owned_file.h"

namespace shingled::storage::sqlite {

/// Updates that wait on disk, in order, while a server is away (SCHEMA.md, "The journal"). Updates
/// that were appended successfully survive a crash of the machine.
///
/// Errors: those of OwnedFile; kCorrupt for a file or row of another kind. Only one process at a
/// time can have it open.
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

  /// Opens or creates the file.
  static Result<std::unique_ptr<UpdateJournal>> open(const std::string& path);

  /// Appends all updates, or none.
  Status append(std::span<const TimedUpdate> updates);
  /// The oldest entries, at most `most`.
  Result<std::vector<Entry>> first(std::size_t most);
  /// Deletes all entries up to `id`, which must be there.
  Status remove_through(std::int64_t id);
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Statements;
  UpdateJournal(OwnedFile file, std::unique_ptr<Statements> statements);

  OwnedFile file_;
  std::unique_ptr<Statements> statements_;  ///< destroyed before the database
  std::size_t size_ = 0;
  std::int64_t last_id_ = 0;
};

}  // namespace shingled::storage::sqlite
