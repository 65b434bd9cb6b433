#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/database.h"

namespace shingled::storage::sqlite {

/// The file as replication reads it: a connection of its own, beside the writer's. Every call sees
/// one moment and keeps nothing open, so that the WAL can begin anew.
///
/// Errors: those of Database, kCorrupt.
/// Threads: one thread.
class ReplicaReader {
 public:
  /// A store this file knows.
  struct Known {
    std::int64_t number = 0;  ///< 0 = itself
    StoreId id{};
    std::optional<StoreKey> key;  ///< none: it did not come since stores are known by their keys
    bool whole = false;           ///< all it had was here once
    std::uint64_t parts = 0;      ///< digests it teaches
  };
  static Result<std::unique_ptr<ReplicaReader>> open(const std::string& path);
  ~ReplicaReader();
  ReplicaReader(const ReplicaReader&) = delete;
  ReplicaReader& operator=(const ReplicaReader&) = delete;
  ReplicaReader(ReplicaReader&&) = delete;
  ReplicaReader& operator=(ReplicaReader&&) = delete;

  /// The name of this store; nothing where it never kept a journal.
  Result<std::optional<StoreId>> self();

  // ---- of a master
  /// The newest place in the journal.
  Result<JournalPosition> end();
  /// Does the journal hold everything after that place?
  Result<bool> covers(const JournalPosition& position);
  struct Entries {
    std::vector<ReplicaRecord> records;
    JournalPosition end;     ///< of the last one; where there is none, what was asked for
    std::uint32_t time = 0;  ///< of the last one
  };
  /// At most `most` records after a place, each digest once, as its own part is now. Nothing where
  /// the journal does not hold everything after that place: the writer drops its oldest entries.
  Result<std::optional<Entries>> entries(const JournalPosition& after, std::size_t most);
  /// When the first change after a place was made; nothing when there is none.
  Result<std::optional<std::uint32_t>> time_after(std::uint64_t number);

  /// A walk over many rows, a slice a call.
  struct Slice {
    std::vector<PartRecord> records;
    std::vector<std::uint32_t> marks;  ///< of each; for `parts_of`
    std::int64_t next = 0;             ///< where to go on
    bool ended = false;
  };
  /// Own parts of at most `most` digests from row `after` on.
  Result<Slice> own_parts(std::int64_t after, std::int64_t most);
  struct Asked {
    std::vector<Takeback> takebacks;
    std::int64_t next = 0;
    bool ended = false;
  };
  /// What was asked of others and is not done.
  Result<Asked> takebacks(std::int64_t after, std::int64_t most);

  // ---- of a mirror
  /// Everybody it knows, by number.
  /// Cost: a walk over all parts.
  Result<std::vector<Known>> stores();
  /// Whether a master came under that key before, with that name.
  Result<bool> is_known(const StoreId& master, const StoreKey& key);
  /// Up to where a master's journal is here; nothing for a store that was never here as a whole.
  Result<std::optional<JournalPosition>> position_of(const StoreId& master);
  /// The parts a master has of at most `most` digests from row `after` on.
  Result<Slice> parts_of(const StoreId& master, std::int64_t after, std::int64_t most);

 private:
  struct Statements;
  class Moment;
  ReplicaReader(std::unique_ptr<Database> database, std::unique_ptr<Statements> statements);
  /// The own part of row `id`; nothing where the row has another digest or is not there.
  Result<Part> own_part(const Digest& digest, std::int64_t id);
  /// The same of a row that has been read: the columns of the statements `row` and `rows`.
  Result<Part> own_part_of(const Statement& row);
  Result<std::uint64_t> era_of(std::uint64_t number);
  // Within one moment of the file:
  Result<JournalPosition> end_now();
  Result<bool> covers_now(const JournalPosition& position);

  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;
};

}  // namespace shingled::storage::sqlite
