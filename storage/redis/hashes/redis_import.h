#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "storage/formats/import.h"
#include "storage/redis/hashes/transfer.h"
#include "storage/redis/hashes/update_sender.h"
#include "storage/redis/route/redis_route.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::storage::redis {

/// What all commands that write one group of hashes have in common.
struct ImportContext {
  std::string_view prefix;
  UpdateId group{};         ///< the unique name of the group in its markers
  bool in_one_step = true;  ///< slots and counter together with the record; false for a cluster
};

/// How long the marker of a group lives. It has one bit for each line that was written, and is
/// needed only while the group is written: a line that is repeated later is refused because its
/// record has changed.
inline constexpr std::uint32_t kGroupMarkerSeconds = 3600;

/// The Lua program that replaces a record by a row in one step; a repeated call does nothing. It
/// returns 1, or 0 if the record has changed since it was read; then nothing is written.
std::string_view import_script();

/// Appends the call that writes a row, as line number `line` of its group. `script` is the name of
/// `import_script` (scripts.h).
///
/// `left`: seconds the row may live, 0 = without end. If somebody else has prolonged the life of
/// the record since it was read, that longer life stays. In a cluster the call writes only the
/// record; after a reply of 1 the caller must claim the slots (`append_slots`) and change the
/// counter.
void append_import(CommandList& commands, const std::string& script, const ImportContext& context,
                   std::size_t line, const sqlite::FuzzyRow& row, const SeenRecord& seen,
                   std::int64_t left);
/// The key of the marker in which the line with this digest has its bit.
std::string group_marker(const ImportContext& context, const Digest& digest);

/// For a cluster: appends the commands that claim the slots of a row.
void append_slots(CommandList& commands, std::string_view prefix, const sqlite::FuzzyRow& row,
                  std::int64_t left);

/// Imports hashes into a Redis database, in groups. The database may be in use. A hash that exists
/// already is merged by `rule` (see Import). No update of others is lost: a merge is written only
/// if the record has not changed since it was read, else it is made again. Shingles are always
/// written as unsigned numbers.
///
/// Each hash is written in one step (in a cluster the record, then its slots and the counter), but
/// the import as a whole is not: after an error, the hashes written before stay. Repeating an
/// import is safe with every rule but kSum.
/// Errors: those of the connection.
/// Threads: one thread.
class RedisImport {
 public:
  static Result<std::unique_ptr<RedisImport>> open(const TransferOptions& options,
                                                   formats::MergeRule rule, Clock& clock,
                                                   Random& random, Logger& logger);
  ~RedisImport();
  RedisImport(const RedisImport&) = delete;
  RedisImport& operator=(const RedisImport&) = delete;
  RedisImport(RedisImport&&) = delete;
  RedisImport& operator=(RedisImport&&) = delete;

  /// Imports a row, which must have at least one flag; its id is ignored. A row that has expired is
  /// left out. Rows are written in groups, so this may write earlier rows.
  Status take(const sqlite::FuzzyRow& coming);
  /// Writes the rows that still wait.
  Status finish();
  [[nodiscard]] const formats::Import::Counts& counts() const;

 private:
  struct State;
  explicit RedisImport(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace shingled::storage::redis
