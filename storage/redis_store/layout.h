#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/model/flag_set.h"
#include "storage/model/fuzzy_store.h"
#include "storage/redis/command_list.h"
#include "storage/redis/redis_reply.h"

namespace shingled::storage::redis_store {

// rspamd's layout of a Redis database (PROTOCOL.md 5.8): names of keys, fields of a record.
// Pure functions. P stands for the prefix.

/// The fields of a record that answer a question, in the order they are asked for: flag and value
/// of the first list, creation time, flag and value of the other seven.
inline constexpr std::array<std::string_view, 17> kRecordFields = {
    "F",  "V",  "C",  "F1", "V1", "F2", "V2", "F3", "V3",
    "F4", "V4", "F5", "V5", "F6", "V6", "F7", "V7"};

/// Asks for those fields of the record of that key, with S for its slots as well.
enum class RecordPart : std::uint8_t { kAnswer, kWithSlots };
void ask_record(redis::CommandList& commands, std::string_view key, RecordPart part);

std::string record_key(std::string_view prefix, const Digest& digest);  ///< P + 64 raw bytes
std::string slot_key(std::string_view prefix, std::size_t slot,
                     std::uint64_t shingle);        ///< P_<slot>_<shingle>
std::string count_key(std::string_view prefix);     ///< P_count
std::string revision_key(std::string_view prefix);  ///< Plocal
/// The field S: "0_<shingle>,1_<shingle>,...", what follows P_ in the 32 keys.
std::string slots_text(const Shingles& shingles);

/// One slot by its name.
struct NamedSlot {
  std::size_t slot = 0;
  std::uint64_t shingle = 0;
};
/// "<slot>_<shingle>"; nothing for another text.
std::optional<NamedSlot> parse_slot(std::string_view text);
/// The field S. Nothing unless it names each of the 32 slots once.
std::optional<Shingles> parse_slots(std::string_view text);

/// A record as it was read.
struct StoredRecord {
  FlagSet flags;
  std::uint32_t created = 0;  ///< Unix seconds; 0 = unknown
};

/// From the reply to HMGET with kRecordFields. Nothing where there is no record: it needs F and V.
/// What is no number counts as absent; values saturate.
std::optional<StoredRecord> parse_record(const redis::RedisReply& reply);

/// Which digest owns most of the 32 slots, from the replies to their GETs.
struct SlotWinner {
  Digest digest;
  std::uint32_t slots = 0;
};
/// Nothing below kMatchSlotsMin; so there is one at most.
std::optional<SlotWinner> slot_winner(const std::vector<redis::RedisReply>& owners);

Match match_of(const Digest& digest, const StoredRecord& record, std::uint32_t slots, bool exact);

}  // namespace shingled::storage::redis_store
