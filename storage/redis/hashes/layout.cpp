#include "storage/redis/hashes/layout.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "config/base/byte_reader.h"
#include "config/base/number_text.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

namespace {

template <typename T>
std::optional<T> number_in(const RedisReply& reply) {
  return reply.is_text() ? parse_whole<T>(reply.text) : std::nullopt;
}

std::optional<FlagValue> list_in(const RedisReply& flag, const RedisReply& value) {
  using Limits = std::numeric_limits<std::int32_t>;
  const auto number = number_in<std::uint32_t>(flag);
  const auto weight = number_in<std::int64_t>(value);
  if (!number || !weight) return std::nullopt;
  return FlagValue{*number, static_cast<std::int32_t>(
                                std::clamp<std::int64_t>(*weight, Limits::min(), Limits::max()))};
}

}  // namespace

void ask_record(CommandList& commands, std::string_view key, RecordPart part) {
  const bool with_slots = part == RecordPart::kWithSlots;
  commands.begin(2 + kRecordFields.size() + (with_slots ? 1 : 0), key_slot(key));
  commands.word("HMGET");
  commands.word(key);
  for (const std::string_view field : kRecordFields) commands.word(field);
  if (with_slots) commands.word("S");
}

std::string record_key(std::string_view prefix, const Digest& digest) {
  std::string key(prefix);
  return key += as_text(digest.bytes);
}

std::string slot_key(std::string_view prefix, std::size_t slot, std::uint64_t shingle) {
  std::string key(prefix);
  key += '_';
  key += std::to_string(slot);
  key += '_';
  return key += std::to_string(shingle);
}

std::string count_key(std::string_view prefix) { return std::string(prefix) += "_count"; }

std::string revision_key(std::string_view prefix) { return std::string(prefix) += "local"; }

std::string slots_text(const Shingles& shingles) {
  std::string text;
  for (std::size_t slot = 0; slot < shingles.size(); ++slot) {
    if (slot > 0) text += ',';
    text += std::to_string(slot);
    text += '_';
    text += std::to_string(shingles[slot]);
  }
  return text;
}

void claim_slot(CommandList& commands, std::string_view key, const Digest& digest,
                std::int64_t life) {
  const std::uint16_t slot = key_slot(key);
  if (life > 0) {
    commands.add({"SET", key, as_text(digest.bytes), "EX", std::to_string(life)}, slot);
  } else {
    commands.add({"SET", key, as_text(digest.bytes)}, slot);
  }
}

std::optional<NamedSlot> parse_slot(std::string_view text) {
  const auto slot = take_whole<decltype(NamedSlot::slot)>(text);
  if (!slot || *slot >= kShingleCount || !text.starts_with('_')) return std::nullopt;
  const auto shingle = parse_whole<std::uint64_t>(text.substr(1));
  if (!shingle) return std::nullopt;
  return NamedSlot{*slot, *shingle};
}

std::optional<Shingles> parse_slots(std::string_view text) {
  Shingles shingles{};
  std::uint32_t seen = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto named = parse_slot(text.substr(0, end));
    if (!named) return std::nullopt;
    const std::uint32_t bit = std::uint32_t{1} << named->slot;
    if ((seen & bit) != 0) return std::nullopt;
    seen |= bit;
    shingles[named->slot] = named->shingle;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (seen != 0xffffffffU) return std::nullopt;
  return shingles;
}

std::optional<StoredRecord> parse_record(const RedisReply& reply) {
  const auto& fields = reply.elements;
  if (fields.size() != kRecordFields.size()) return std::nullopt;
  const auto first = list_in(fields[0], fields[1]);
  if (!first) return std::nullopt;
  StoredRecord record;
  record.flags.add(*first);
  record.created = number_in<std::uint32_t>(fields[2]).value_or(0);
  for (std::size_t at = 3; at + 1 < fields.size(); at += 2) {
    if (const auto list = list_in(fields[at], fields[at + 1])) record.flags.add(*list);
  }
  return record;
}

std::optional<SlotWinner> slot_winner(const std::vector<RedisReply>& owners) {
  // The majority vote of Boyer and Moore: different owners cancel each other out in pairs, so an
  // owner of more than half of the slots remains as the candidate.
  const RedisReply* candidate = nullptr;
  std::size_t surplus = 0;
  const auto is_owner = [](const RedisReply& reply) {
    return reply.is_text() && reply.text.size() == kDigestBytes;
  };
  for (const RedisReply& owner : owners) {
    if (surplus == 0) {
      candidate = &owner;
      surplus = 1;
    } else if (owner == *candidate) {
      ++surplus;
    } else {
      --surplus;
    }
  }
  if (candidate == nullptr || !is_owner(*candidate)) return std::nullopt;
  const auto slots = std::count(owners.begin(), owners.end(), *candidate);
  if (slots < std::int64_t{kMatchSlotsMin}) return std::nullopt;
  SlotWinner winner;
  std::memcpy(winner.digest.bytes.data(), candidate->text.data(), kDigestBytes);
  winner.slots = static_cast<std::uint32_t>(slots);
  return winner;
}

Match match_of(const Digest& digest, const StoredRecord& record, std::uint32_t slots, bool exact) {
  Match match;
  match.digest = digest;
  match.slots = slots;
  match.exact = exact;
  const auto flags = record.flags.all();
  match.flag_count = static_cast<std::uint8_t>(flags.size());
  std::copy(flags.begin(), flags.end(), match.flags.begin());
  match.created = record.created;
  match.updated = record.created;
  return match;
}

}  // namespace shingled::storage::redis
