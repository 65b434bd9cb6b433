#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "mime/fingerprint/fingerprint.h"
#include "storage/model/flag_set.h"

namespace shingled::storage {

// What stores tell each other (REPLICATION.md). Values.

/// Names a store for ever: random, made once, kept in its file.
using StoreId = std::array<std::uint8_t, 16>;

/// The public key under which a store connects: what proves its name to a mirror.
using StoreKey = std::array<std::uint8_t, 32>;

/// A place in the journal of a store: everything up to `number` is known. Numbers alone do not
/// name it, for a file that was put back from a backup gives them a second time; the era, a random
/// number a start of the store, does.
struct JournalPosition {
  std::uint64_t era = 0;
  std::uint64_t number = 0;
  friend bool operator==(const JournalPosition&, const JournalPosition&) = default;
};

/// What one store was taught of one digest. Only that store changes it; all others have copies.
/// What a store answers is made of all parts of a digest (`merge`). No flags: there is no part.
struct Part {
  FlagSet flags;
  std::uint32_t created = 0;  ///< Unix seconds; also tells a part from a later one of that digest
  std::uint32_t updated = 0;  ///< Unix seconds; a part expires by this, whatever the others do
  std::uint64_t source = 0;
  std::optional<Shingles> shingles;
  friend bool operator==(const Part&, const Part&) = default;
};

/// The parts of one digest as one record, whatever their order: weights add up and saturate at the
/// end, of more than eight lists the largest stay, the earliest `created` (at most `updated`), the
/// latest `updated` with its source, the shingles of the part that was created first.
Part merge(std::span<const Part* const> parts);

/// A store's own part as it is now; without flags: gone.
struct PartRecord {
  Digest digest;
  Part part;
  friend bool operator==(const PartRecord&, const PartRecord&) = default;
};

/// A store asks another one to take back its part, or one list of it, because it was told to delete
/// the digest. The owner does so if the part is still the one that was seen. Until it answers, who
/// asked hides the part.
struct Takeback {
  Digest digest;
  StoreId owner{};
  std::uint32_t flag = 0;     ///< 0 = all lists
  std::uint32_t created = 0;  ///< of the part that was seen
  friend bool operator==(const Takeback&, const Takeback&) = default;
};

/// The owner has decided on a takeback; what it has of the digest now comes next.
struct TakebackAnswer {
  Digest digest;
  StoreId asker{};
  std::uint32_t flag = 0;
  friend bool operator==(const TakebackAnswer&, const TakebackAnswer&) = default;
};

using ReplicaRecord = std::variant<PartRecord, Takeback, TakebackAnswer>;

/// What a mirror applies together, in one transaction.
struct ReplicaBatch {
  StoreId master{};  ///< whose parts these are
  StoreKey key{};    ///< under which it said so; a name belongs to one key (StoreTable::claim)
  std::vector<ReplicaRecord> records;
  std::optional<JournalPosition> position;  ///< reached with them
  /// Not 0: this is of a comparison of all ranges, and the number is written beside each part. What
  /// it says stands whatever was asked; with a position it is the end.
  std::uint32_t mark = 0;
  /// Said by nobody but this store's operator: with the last part of that store, whatever its key,
  /// the store itself is forgotten.
  bool forgets = false;
};

}  // namespace shingled::storage
