#include "storage/redis/counters/counter_scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mime/fingerprint/secret_hash.h"
#include "storage/redis/counters/shared_layout.h"

namespace shingled::storage::redis {

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
