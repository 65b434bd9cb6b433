#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "mime/fingerprint/fingerprint.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::storage {

/// A time from another source may be at most this far ahead of our clock.
inline constexpr std::uint32_t kClockSkewSeconds = 86'400;

/// Returns a time from another source (Unix seconds), limited to `now` + kClockSkewSeconds. A
/// record with a time far in the future would never expire, and would take slots from records that
/// are really new.
inline std::uint32_t plausible_time(std::uint32_t told, std::uint32_t now) {
  const std::uint64_t latest = std::uint64_t{now} + kClockSkewSeconds;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(told, latest));
}

// The values that stores exchange in replication (REPLICATION.md).

/// The permanent name of a store: random, made once and kept in its file.
using StoreId = std::array<std::uint8_t, 16>;

/// The public key with which a store connects. It proves the name of the store to a mirror.
using StoreKey = std::array<std::uint8_t, 32>;

/// A position in the journal of a store: everything up to `number` is known. The number alone is
/// not enough, because a file that was restored from a backup uses the same numbers again. So there
/// is the era, a random number that is new at each start of the store.
struct JournalPosition {
  std::uint64_t era = 0;
  std::uint64_t number = 0;
  friend bool operator==(const JournalPosition&, const JournalPosition&) = default;
};

/// What one store was taught about one digest. Only that store changes the part; all other stores
/// have copies. A store answers with the sum of all parts of a digest (`merge`). If `flags` is
/// empty, the store has no part of this digest.
struct Part {
  FlagSet flags;
  std::uint32_t created = 0;  ///< Unix seconds; differs from that of a later part of the digest
  std::uint32_t updated = 0;  ///< Unix seconds; this part expires by it, independently of others
  std::uint64_t source = 0;
  std::optional<Shingles> shingles;
  friend bool operator==(const Part&, const Part&) = default;
};

/// Merges the parts of one digest into one record. The order of the parts does not matter.
/// Values of a list are added, and the sum saturates at the end. Of more than eight lists those
/// with the largest values stay. The result has the earliest `created` (at most `updated`), the
/// latest `updated` with its source, and the shingles of the part that was created first.
Part merge(std::span<const Part* const> parts);

/// A store's own part as it is now. Empty flags: the part was deleted.
struct PartRecord {
  Digest digest;
  Part part;
  friend bool operator==(const PartRecord&, const PartRecord&) = default;
};

/// A request to the owner of a part: delete the part, or one list of it. A store sends it when it
/// has to delete the digest. The owner deletes the part if it is still the part that the asking
/// store has seen. The asking store hides the part until the owner answers.
struct Takeback {
  Digest digest;
  StoreId owner{};
  std::uint32_t flag = 0;     ///< 0 = all lists
  std::uint32_t created = 0;  ///< of the part that the asking store has seen
  friend bool operator==(const Takeback&, const Takeback&) = default;
};

/// The owner's answer to a takeback. The next record is what the owner now has of the digest.
struct TakebackAnswer {
  Digest digest;
  StoreId asker{};
  std::uint32_t flag = 0;
  friend bool operator==(const TakebackAnswer&, const TakebackAnswer&) = default;
};

using ReplicaRecord = std::variant<PartRecord, Takeback, TakebackAnswer>;

/// Records that a mirror applies together, in one transaction.
struct ReplicaBatch {
  StoreId master{};  ///< the owner of these parts
  StoreKey key{};    ///< that the master used; a name belongs to one key (StoreTable::claim)
  std::vector<ReplicaRecord> records;
  std::optional<JournalPosition> position;  ///< of the journal, after these records
  /// Not 0: the records come from a comparison of all ranges, and this number is stored with each
  /// part. Takebacks do not hide these parts. With a position, the batch ends the comparison.
  std::uint32_t mark = 0;
  /// Set only by the operator of this store. When the last part of `master` is gone, the store
  /// `master` itself is forgotten, whatever its key is.
  bool forgets = false;
};

}  // namespace shingled::storage
