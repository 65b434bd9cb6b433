#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/model/fuzzy_store.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

// rspamd's layout of a Redis database (PROTOCOL.md 5.8): names of keys, fields of a record.
// Pure functions. P is the prefix.

/// The fields of a record that answer a question, in the order in which they are read: flag and
/// value of the first list, creation time, flag and value of the other seven lists.
inline constexpr std::array<std::string_view, 17> kRecordFields = {
    "F",  "V",  "C",  "F1", "V1", "F2", "V2", "F3", "V3",
    "F4", "V4", "F5", "V5", "F6", "V6", "F7", "V7"};

/// Appends the command that reads these fields of a record; kWithSlots also reads S, its slots.
enum class RecordPart : std::uint8_t { kAnswer, kWithSlots };
void ask_record(CommandList& commands, std::string_view key, RecordPart part);

std::string record_key(std::string_view prefix, const Digest& digest);  ///< P + 64 raw bytes
std::string slot_key(std::string_view prefix, std::size_t slot,
                     std::uint64_t shingle);        ///< P_<slot>_<shingle>
std::string count_key(std::string_view prefix);     ///< P_count
std::string revision_key(std::string_view prefix);  ///< Plocal
/// The field S: "0_<shingle>,1_<shingle>,...", the 32 keys of slots without P_.
std::string slots_text(const Shingles& shingles);

/// Appends the command that makes `digest` the owner of a slot. `life`: seconds, 0 = without end.
void claim_slot(CommandList& commands, std::string_view key, const Digest& digest,
                std::int64_t life);

/// A slot and its shingle, as in the name of a slot key.
struct NamedSlot {
  std::size_t slot = 0;
  std::uint64_t shingle = 0;
};
/// Parses "<slot>_<shingle>"; nullopt for any other text.
std::optional<NamedSlot> parse_slot(std::string_view text);
/// Parses the field S; nullopt unless it names each of the 32 slots exactly once.
std::optional<Shingles> parse_slots(std::string_view text);

/// A record as it was read.
struct StoredRecord {
  FlagSet flags;
  std::uint32_t created = 0;  ///< Unix seconds; 0 means unknown
};

/// Reads the reply to HMGET with kRecordFields. Returns nullopt if there is no record; a record
/// must have F and V. A field that is not a number counts as absent; values are clamped to 32 bits.
std::optional<StoredRecord> parse_record(const RedisReply& reply);

/// The digest that owns most of the 32 slots.
struct SlotWinner {
  Digest digest;
  std::uint32_t slots = 0;
};
/// Finds it in the replies to the GETs of the slots. Returns nullopt if no digest owns
/// kMatchSlotsMin slots, which are more than half, so at most one digest can.
std::optional<SlotWinner> slot_winner(const std::vector<RedisReply>& owners);

Match match_of(const Digest& digest, const StoredRecord& record, std::uint32_t slots, bool exact);

}  // namespace shingled::storage::redis
