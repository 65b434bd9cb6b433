#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/model/replica.h"
#include "storage/sqlite/base/database.h"

namespace shingled::storage::sqlite {

/// Reads the file for replication, with a connection of its own beside the writer's. Every call
/// sees one moment of the file and leaves nothing open, so that the WAL can start again.
///
/// Errors: those of Database, kCorrupt.
/// Threads: one thread.
class ReplicaReader {
 public:
  /// A store that this file knows.
  struct Known {
    std::int64_t number = 0;  ///< 0 = this store
    StoreId id{};
    std::optional<StoreKey> key;  ///< nullopt: it never connected with a key
    bool whole = false;           ///< it was once received completely
    std::uint64_t parts = 0;      ///< number of digests it teaches
  };
  static Result<std::unique_ptr<ReplicaReader>> open(const std::string& path);
  ~ReplicaReader();
  ReplicaReader(const ReplicaReader&) = delete;
  ReplicaReader& operator=(const ReplicaReader&) = delete;
  ReplicaReader(ReplicaReader&&) = delete;
  ReplicaReader& operator=(ReplicaReader&&) = delete;

  /// The name of this store; nullopt if it never kept a journal.
  Result<std::optional<StoreId>> self();

  // ---- for a master ----
  /// The position of the newest entry in the journal.
  Result<JournalPosition> end();
  /// Whether the journal holds everything after that position.
  Result<bool> covers(const JournalPosition& position);
  struct Entries {
    std::vector<ReplicaRecord> records;
    JournalPosition end;  ///< of the last entry; without entries, the position that was asked for
    std::uint32_t time = 0;  ///< of the last entry, Unix seconds
  };
  /// At most `most` records after a position. Each digest comes once, with its own part as it is
  /// now. nullopt if the journal does not hold everything after that position, because the writer
  /// has deleted its oldest entries.
  Result<std::optional<Entries>> entries(const JournalPosition& after, std::size_t most);
  /// The time of the first change after entry `number`; nullopt if there is none.
  Result<std::optional<std::uint32_t>> time_after(std::uint64_t number);

  /// A part of a walk over many rows; each call returns one slice.
  struct Slice {
    std::vector<PartRecord> records;
    std::vector<std::uint32_t> marks;  ///< of each record; only from `parts_of`
    std::int64_t next = 0;             ///< `after` of the next call
    bool ended = false;
  };
  /// The own parts of at most `most` digests after row `after`.
  Result<Slice> own_parts(std::int64_t after, std::int64_t most);
  struct Asked {
    std::vector<Takeback> takebacks;
    std::int64_t next = 0;
    bool ended = false;
  };
  /// The takebacks that are not answered yet, at most `most` after row `after`.
  Result<Asked> takebacks(std::int64_t after, std::int64_t most);

  // ---- for a mirror ----
  /// All stores that this file knows, by number.
  /// Cost: a walk over all parts.
  Result<std::vector<Known>> stores();
  /// Whether a master has connected before with this key and this name.
  Result<bool> is_known(const StoreId& master, const StoreKey& key);
  /// The position up to which a master's journal is here; nullopt for a store that was never
  /// received completely.
  Result<std::optional<JournalPosition>> position_of(const StoreId& master);
  /// The parts that a master has of at most `most` digests after row `after`.
  Result<Slice> parts_of(const StoreId& master, std::int64_t after, std::int64_t most);

 private:
  struct Statements;
  class Moment;
  ReplicaReader(std::unique_ptr<Database> database, std::unique_ptr<Statements> statements);
  /// The own part of row `id`; a part without flags if the row has another digest or does not
  /// exist.
  Result<Part> own_part(const Digest& digest, std::int64_t id);
  /// Like `own_part`, for a row that was read by the statement `row` or `rows`.
  Result<Part> own_part_of(const Statement& row);
  Result<std::uint64_t> era_of(std::uint64_t number);
  // Within one moment of the file:
  Result<JournalPosition> end_now();
  Result<bool> covers_now(const JournalPosition& position);

  std::unique_ptr<Database> database_;
  std::unique_ptr<Statements> statements_;
};

}  // namespace shingled::storage::sqlite
