#include "storage/redis/counters/shared_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mime/fingerprint/secret_hash.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

using counters::CounterKey;
using counters::Entry;
using counters::Period;

namespace {

constexpr std::uint64_t kBucketMask = (1U << kBucketBits) - 1;
static_assert(kBucketMask + 1 == kClusterSlots);
constexpr std::uint32_t kSlotBit = 1U << 31U;
constexpr std::size_t kHeadBytes = 6;
constexpr std::string_view kBucketEnd = "}:bucket";

void put_number(std::uint64_t number, std::size_t bytes, std::string& out) {
  for (std::size_t i = bytes; i > 0; --i) out += static_cast<char>(number >> (8 * (i - 1)));
}

/// The number in the first bytes, the highest first; takes them off the front.
std::uint64_t take_number(std::string_view& text, std::size_t bytes) {
  std::uint64_t number = 0;
  for (const char c : text.substr(0, bytes)) number = number << 8U | static_cast<std::uint8_t>(c);
  text.remove_prefix(bytes);
  return number;
}

std::size_t width_of(std::uint64_t number) {
  const auto bytes = (static_cast<std::size_t>(std::bit_width(number)) + 7) / 8;
  return bytes == 7 ? 8 : bytes;
}

}  // namespace

Bucket bucket_of(const CounterKey& key) { return static_cast<Bucket>(key.shingle & kBucketMask); }

std::string bucket_name(std::string_view prefix, Bucket bucket) {
  std::string out(prefix);
  return out.append(":{").append(slot_tag(bucket)).append(kBucketEnd);
}

std::optional<Bucket> parse_bucket_name(std::string_view prefix, std::string_view name) {
  const Bucket bucket = key_slot(name);
  return bucket_name(prefix, bucket) == name ? std::optional(bucket) : std::nullopt;
}

std::string mark_name(std::string_view prefix) { return fmt::format("{}:key", prefix); }

std::string writer_name(std::string_view prefix, Bucket bucket, std::uint64_t writer) {
  return fmt::format("{}:{{{}}}:from:{:016x}", prefix, slot_tag(bucket), writer);
}

bool is_together(const counters::Pair& pair) {
  return ((pair.key.shingle ^ pair.unique) & counters::kPairTagMask) == 0;
}

void append_field(const CounterKey& key, std::string& out) {
  put_number(key.shingle, 8, out);
  put_number(key.tag(), 1, out);
}

std::optional<CounterKey> parse_field(Bucket bucket, std::string_view field) {
  if (field.size() != kFieldBytes) return std::nullopt;
  const std::uint64_t shingle = take_number(field, 8);
  const CounterKey key = CounterKey::of(shingle, static_cast<std::uint8_t>(field[0]));
  if (bucket_of(key) != bucket) return std::nullopt;
  if (find_piece_type(static_cast<std::uint64_t>(key.type)) == nullptr) return std::nullopt;
  return key;
}

void append_record(const Entry& entry, std::string& out) {
  unsigned mask = 0;
  std::size_t width = 1;
  for (std::size_t m = 0; m < counters::kMeasures; ++m) {
    const std::uint64_t count = entry.amounts.counts[m];
    if (count == 0) continue;
    mask |= 1U << m;
    width = std::max(width, width_of(count));
  }
  if (mask == 0) return;
  const bool is_slot = entry.period.unit == Period::Unit::kSlot;
  put_number(entry.period.number | (is_slot ? kSlotBit : 0), 4, out);
  put_number(mask, 1, out);
  put_number(width, 1, out);
  for (const std::uint64_t count : entry.amounts.counts)
    if (count != 0) put_number(count, width, out);
}

std::vector<Entry> read_entries(std::string_view value) {
  std::vector<Entry> entries;
  while (value.size() >= kHeadBytes) {
    const auto period = static_cast<std::uint32_t>(take_number(value, 4));
    const auto mask = static_cast<unsigned>(take_number(value, 1));
    const std::size_t width = take_number(value, 1);
    const std::size_t bytes = width * static_cast<std::size_t>(std::popcount(mask));
    if (width == 0 || width == 7 || width > 8 || value.size() < bytes) break;
    Entry entry;
    entry.period = (period & kSlotBit) != 0 ? Period{Period::Unit::kSlot, period & ~kSlotBit}
                                            : Period{Period::Unit::kDay, period};
    for (std::size_t m = 0; m < counters::kMeasures; ++m) {
      if ((mask >> m & 1U) == 0) continue;
      entry.amounts.counts[m] = std::min(take_number(value, width), counters::kCountMax);
    }
    if (!entry.amounts.is_zero()) add_entry(entries, entry);
  }
  return entries;
}

std::optional<Entry> kept_entry(PieceType type, const Entry& entry, counters::Slot now) {
  const bool is_slot = entry.period.unit == Period::Unit::kSlot;
  if (is_slot && std::uint64_t{entry.period.number} + counters::kSlotsPerDay > now) return entry;
  Entry out = entry;
  if (is_slot) {
    out.period = {Period::Unit::kDay, counters::day_of(entry.period.number)};
    out.amounts = day_part(type, entry.amounts);
  }
  const bool is_over =
      std::uint64_t{out.period.number} + counters::kDaysKept <= counters::day_of(now);
  if (is_over || out.amounts.is_zero()) return std::nullopt;
  return out;
}

using counters::Entry;
using counters::Period;

namespace {

using Words = std::vector<std::string>;

bool is_slot(const Period& period) { return period.unit == Period::Unit::kSlot; }

/// Slots that are over go to their day, which then has one entry.
std::vector<Entry> kept_entries(const CounterDelta& delta, counters::Slot now) {
  std::vector<Entry> out;
  for (const Entry& entry : delta.entries)
    if (const auto kept = kept_entry(delta.key.type, entry, now)) add_entry(out, *kept);
  return out;
}

/// What a counter gets, from new to old; empty if it is all over.
std::string recipe_of(const CounterDelta& delta, counters::Slot now) {
  const std::vector<Entry> entries = kept_entries(delta, now);
  std::string out;
  for (const bool slots : {true, false}) {
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
      if (is_slot(entry->period) == slots) append_record(*entry, out);
  }
  return out;
}

constexpr std::size_t kNoRecipe = std::numeric_limits<std::size_t>::max();

/// Counters that get the same: those of a message, mostly.
struct SameRecipe {
  bool operator()(const CounterDelta* a, const CounterDelta* b) const {
    return is_unique(a->key.type) == is_unique(b->key.type) &&
           std::ranges::equal(a->entries, b->entries);
  }
};
struct RecipeHash {
  std::size_t operator()(const CounterDelta* delta) const {
    std::uint64_t mix = 0;
    for (const Entry& entry : delta->entries) {
      mix = mix * 31 + entry.period.number;
      for (const std::uint64_t count : entry.amounts.counts) mix = mix * 31 + count;
    }
    return SecretHash::of_process()(mix);
  }
};

void write(CommandList& commands, const std::string& script, std::uint16_t slot, const Words& keys,
           const Words& words) {
  commands.begin(3 + keys.size() + words.size(), slot);
  commands.word("EVALSHA");
  commands.word(script);
  commands.word(fmt::to_string(keys.size()));
  for (const std::string& key : keys) commands.word(key);
  for (const std::string& word : words) commands.word(word);
}

}  // namespace

void append_add(CommandList& commands, const std::string& script, const CallPlace& place,
                std::uint64_t number, counters::Slot now, std::span<const CounterDelta> deltas) {
  Words keys = {writer_name(place.prefix, place.slot, place.writer)};
  Words recipes;
  Words buckets;
  std::unordered_map<const CounterDelta*, std::size_t, RecipeHash, SameRecipe> known;
  std::optional<Bucket> bucket;
  for (const CounterDelta& delta : deltas) {
    const auto [recipe, is_new] = known.try_emplace(&delta, recipes.size());
    if (is_new) {
      std::string text = recipe_of(delta, now);
      if (text.empty()) {
        recipe->second = kNoRecipe;
      } else {
        recipes.push_back(std::move(text));
      }
    }
    if (recipe->second == kNoRecipe) continue;
    if (bucket != bucket_of(delta.key)) {
      bucket = bucket_of(delta.key);
      keys.push_back(bucket_name(place.prefix, *bucket));
      buckets.emplace_back();
    }
    append_field(delta.key, buckets.back());
    buckets.back() += static_cast<char>(recipe->second >> 8U);
    buckets.back() += static_cast<char>(recipe->second);
  }
  Words words = {fmt::to_string(now), fmt::to_string(number), fmt::to_string(recipes.size())};
  std::ranges::move(recipes, std::back_inserter(words));
  std::ranges::move(buckets, std::back_inserter(words));
  write(commands, script, place.slot, keys, words);
}

void append_pairs(CommandList& commands, const std::string& script, const CallPlace& place,
                  counters::Slot now, std::span<const PairDelta* const> pairs) {
  Words keys = {writer_name(place.prefix, place.slot, place.writer)};
  Words words = {fmt::to_string(now)};
  for (const PairDelta* delta : pairs) {
    keys.push_back(bucket_name(place.prefix, bucket_of(delta->pair.key)));
    words.push_back(fmt::to_string(delta->number));
    append_field(delta->pair.key, words.emplace_back());
    append_field(delta->pair.unique_key(), words.emplace_back());
    const auto kept =
        kept_entry(delta->pair.key.type, {{Period::Unit::kSlot, delta->slot}, delta->amounts}, now);
    std::string& record = words.emplace_back();
    if (kept) append_record(*kept, record);
  }
  write(commands, script, place.slot, keys, words);
}

void append_read(CommandList& commands, const std::string& script, const CallPlace& place,
                 std::span<const counters::CounterKey> keys) {
  Words names = {writer_name(place.prefix, place.slot, place.writer)};
  Words words;
  for (const counters::CounterKey& key : keys) {
    names.push_back(bucket_name(place.prefix, bucket_of(key)));
    append_field(key, words.emplace_back());
  }
  write(commands, script, place.slot, names, words);
}

}  // namespace shingled::storage::redis
