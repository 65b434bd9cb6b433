#include "storage/shared_counters/counter_scripts.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mime/fingerprint/secret_hash.h"
#include "storage/shared_counters/shared_layout.h"

namespace shingled::storage::shared_counters {

using counters::Entry;
using counters::Measure;
using counters::Period;

namespace {

// The first write of each script is that of the writer's number: if the server may not write, or
// has no memory left, it says so there, and nothing of the call was done. After that no error of a
// single counter (a key that is not a hash, a number that is too large) ends the call.
//
// Lua's numbers are doubles, so counts stay texts.
constexpr std::string_view kShared = R"lua(
local call, try = redis.call, redis.pcall
local from, life, present = KEYS[1], '1382400', tonumber(ARGV[1])
local function put(key, field, amount)
  local sum = try('HINCRBY', key, field, amount)
  if type(sum) == 'number' then return sum end
  if string.find(sum.err, 'overflow', 1, true) then
    call('HSET', key, field, '9223372036854775807')
  elseif string.find(sum.err, 'hash value', 1, true) then
    call('HSET', key, field, amount)
  end
  return 0
end
-- Moves to their day the slots that are over by the clocks of the daemon and of this server.
local function clean(key, is_unique)
  local now = math.min(present, math.floor(call('TIME')[1] / 600))
  local day, all = math.floor(now / 144), call('HGETALL', key)
  for i = 1, #all, 2 do
    local unit, number, measure = string.match(all[i], '^([tdn])(%d+):?(%d?)$')
    number = tonumber(number)
    if unit == 't' and now - number >= 144 then
      local its_day = math.floor(number / 144)
      if is_unique then measure = measure == '1' and '0' or nil end
      if measure and day - its_day < 15 and string.find(all[i + 1], '^%d+$') then
        put(key, 'd' .. its_day .. ':' .. measure, all[i + 1])
      end
      call('HDEL', key, all[i])
    elseif unit and unit ~= 't' and day - number >= 15 then
      call('HDEL', key, all[i])
    end
  end
end
local function live(key, is_unique)
  local fields = try('HLEN', key)
  if type(fields) ~= 'number' then return end
  call('EXPIRE', key, life)
  if fields > 48 then clean(key, is_unique) end
end
)lua";

// ARGV: the present slot, the number of the call, how many recipes, the recipes, and a text with
// two bytes for each counter: the number of its recipe. A recipe is what many counters of a message
// have in common: the number of its fields (negative for a unique), the fields and amounts.
constexpr std::string_view kAddScript = R"lua(
local number = ARGV[2]
local last = tonumber(call('HGET', from, 'c') or '')
if last and last >= tonumber(number) then
  call('EXPIRE', from, life)
  return 0
end
call('HSET', from, 'c', number)
call('EXPIRE', from, life)
local at, begins, ends, uniques = 4, {}, {}, {}
for r = 1, tonumber(ARGV[3]) do
  local many = tonumber(ARGV[at])
  if many < 0 then many, uniques[r] = -many, true end
  begins[r], ends[r] = at + 1, at + 2 * many
  at = ends[r] + 1
end
local byte, which = string.byte, ARGV[at]
for k = 2, #KEYS do
  local key = KEYS[k]
  local high, low = byte(which, 2 * k - 3, 2 * k - 2)
  local r = high * 256 + low + 1
  if call('EXISTS', key) == 0 then
    call('HSET', key, unpack(ARGV, begins[r], ends[r]))
    call('EXPIRE', key, life)
  else
    local is_new = false
    for i = begins[r], ends[r], 2 do
      if put(key, ARGV[i], ARGV[i + 1]) == tonumber(ARGV[i + 1]) then is_new = true end
    end
    if is_new then live(key, uniques[r]) end
  end
end
return 1
)lua";

// KEYS: the writer, then for each pair its key and that of its unique. ARGV: the present slot; for
// each pair its number, the field of its mass or an empty text, the field of its day, the fields of
// the unique for a pair that is new in the slot and on the day (or empty), the number of fields,
// the fields and amounts.
constexpr std::string_view kAddPairsScript = R"lua(
local last = tonumber(call('HGET', from, 'p') or '') or 0
local at, todo = 2, {}
local newest = last
for k = 2, #KEYS, 2 do
  local number, many = tonumber(ARGV[at]), tonumber(ARGV[at + 5])
  if number > last then
    todo[#todo + 1] = k
    todo[#todo + 1] = at
    if number > newest then newest = number end
  end
  at = at + 6 + 2 * many
end
if newest == last then
  call('EXPIRE', from, life)
  return 0
end
call('HSET', from, 'p', string.format('%.0f', newest))
call('EXPIRE', from, life)
for i = 1, #todo, 2 do
  local k, a = todo[i], todo[i + 1]
  local key, unique = KEYS[k], KEYS[k + 1]
  local mass, seen, in_slot, on_day = ARGV[a + 1], ARGV[a + 2], ARGV[a + 3], ARGV[a + 4]
  local had = mass ~= '' and try('HGET', key, mass)
  if type(had) ~= 'table' then
    for f = a + 6, a + 5 + 2 * tonumber(ARGV[a + 5]), 2 do put(key, ARGV[f], ARGV[f + 1]) end
    if mass ~= '' then
      local first_of_day = call('HSETNX', key, seen, '1') == 1
      local first_of_slot = in_slot ~= '' and (not had or had == '0')
      if first_of_slot then put(unique, in_slot, '1') end
      if first_of_day then put(unique, on_day, '1') end
      if first_of_slot or first_of_day then live(unique, true) end
    end
    live(key, false)
  end
end
return 1
)lua";

constexpr std::string_view kReadScript = R"lua(
local out = {redis.call('HGET', KEYS[1], 'c') or ''}
for k = 2, #KEYS do out[k] = redis.pcall('HGETALL', KEYS[k]) end
return out
)lua";

using Words = std::vector<std::string>;

void append_amounts(const Period& period, const counters::Amounts& amounts, Words& words) {
  for (std::size_t m = 0; m < counters::kMeasures; ++m) {
    if (amounts.counts[m] == 0) continue;
    words.push_back(field_name(period, static_cast<Measure>(m)));
    words.push_back(fmt::to_string(amounts.counts[m]));
  }
}

/// Slots that are over go to their day, which then has one entry.
std::vector<Entry> kept_entries(const CounterDelta& delta, counters::Slot now) {
  std::vector<Entry> out;
  for (const Entry& entry : delta.entries)
    if (const auto kept = kept_entry(delta.key.type, entry, now)) add_entry(out, *kept);
  return out;
}

/// Appends the fields and amounts of a counter; false if it has none.
bool append_recipe(const CounterDelta& delta, counters::Slot now, Words& words) {
  const std::size_t count = words.size();
  words.emplace_back();
  for (const Entry& kept : kept_entries(delta, now)) {
    append_amounts(kept.period, kept.amounts, words);
    if (!is_pair(delta.key.type) || kept.amounts.of(Measure::kMass) == 0) continue;
    const bool is_slot = kept.period.unit == Period::Unit::kSlot;
    words.push_back(seen_name(is_slot ? counters::day_of(kept.period.number) : kept.period.number));
    words.emplace_back("1");
  }
  const std::size_t fields = (words.size() - count - 1) / 2;
  if (fields == 0) {
    words.resize(count);
    return false;
  }
  words[count] = fmt::format("{}{}", is_unique(delta.key.type) ? "-" : "", fields);
  return true;
}

constexpr std::size_t kNoRecipe = std::numeric_limits<std::size_t>::max();

/// Counters that get the same: those of a message, mostly.
struct SameRecipe {
  bool operator()(const CounterDelta* a, const CounterDelta* b) const {
    return is_pair(a->key.type) == is_pair(b->key.type) &&
           is_unique(a->key.type) == is_unique(b->key.type) && a->entries == b->entries;
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

void write(redis::CommandList& commands, const std::string& script, std::uint16_t slot,
           const Words& keys, const Words& words) {
  commands.begin(3 + keys.size() + words.size(), slot);
  commands.word("EVALSHA");
  commands.word(script);
  commands.word(fmt::to_string(keys.size()));
  for (const std::string& key : keys) commands.word(key);
  for (const std::string& word : words) commands.word(word);
}

void append_pair_words(const PairDelta& delta, counters::Slot now, Words& words) {
  const PieceType type = delta.pair.key.type;
  const counters::Day day = counters::day_of(delta.slot);
  const auto kept = kept_entry(type, {{Period::Unit::kSlot, delta.slot}, delta.amounts}, now);
  const bool has_mass = kept && delta.amounts.of(Measure::kMass) != 0;
  const bool is_slot = kept && kept->period.unit == Period::Unit::kSlot;
  words.push_back(fmt::to_string(delta.number));
  words.push_back(has_mass ? field_name(kept->period, Measure::kMass) : "");
  words.push_back(seen_name(day));
  words.push_back(is_slot ? field_name(kept->period, Measure::kMass) : "");
  words.push_back(!kept ? ""
                        : field_name(kept->period, is_slot ? counters::kNewOnDay : Measure::kMass));
  const std::size_t count = words.size();
  words.emplace_back();
  if (kept) append_amounts(kept->period, kept->amounts, words);
  words[count] = fmt::to_string((words.size() - count - 1) / 2);
}

}  // namespace

std::span<const std::string_view> counter_scripts() {
  static const std::string add = std::string(kShared).append(kAddScript);
  static const std::string add_pairs = std::string(kShared).append(kAddPairsScript);
  static const std::array<std::string_view, 3> scripts = {add, add_pairs, kReadScript};
  return scripts;
}

void append_add(redis::CommandList& commands, const std::string& script, const CallPlace& place,
                std::uint64_t number, counters::Slot now,
                std::span<const CounterDelta* const> deltas) {
  Words keys = {writer_name(place.prefix, place.slot, place.writer)};
  Words words = {fmt::to_string(now), fmt::to_string(number), ""};
  std::unordered_map<const CounterDelta*, std::size_t, RecipeHash, SameRecipe> recipes;
  std::size_t written = 0;
  std::string which;
  for (const CounterDelta* delta : deltas) {
    const auto [recipe, is_new] = recipes.try_emplace(delta, written);
    if (is_new) {
      if (append_recipe(*delta, now, words)) {
        ++written;
      } else {
        recipe->second = kNoRecipe;
      }
    }
    if (recipe->second == kNoRecipe) continue;
    keys.push_back(counter_name(place.prefix, delta->key));
    which += static_cast<char>(recipe->second >> 8U);
    which += static_cast<char>(recipe->second);
  }
  words[2] = fmt::to_string(written);
  words.push_back(std::move(which));
  write(commands, script, place.slot, keys, words);
}

void append_pairs(redis::CommandList& commands, const std::string& script, const CallPlace& place,
                  counters::Slot now, std::span<const PairDelta* const> pairs) {
  Words keys = {writer_name(place.prefix, place.slot, place.writer)};
  Words words = {fmt::to_string(now)};
  for (const PairDelta* delta : pairs) {
    keys.push_back(counter_name(place.prefix, delta->pair.key));
    keys.push_back(counter_name(place.prefix, delta->pair.unique_key()));
    append_pair_words(*delta, now, words);
  }
  write(commands, script, place.slot, keys, words);
}

void append_read(redis::CommandList& commands, const std::string& script, const CallPlace& place,
                 std::span<const counters::CounterKey> keys) {
  commands.begin(4 + keys.size(), place.slot);
  commands.word("EVALSHA");
  commands.word(script);
  commands.word(fmt::to_string(1 + keys.size()));
  commands.word(writer_name(place.prefix, place.slot, place.writer));
  for (const counters::CounterKey& key : keys) commands.word(counter_name(place.prefix, key));
}

}  // namespace shingled::storage::shared_counters
