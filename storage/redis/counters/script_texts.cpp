#include "storage/redis/counters/script_texts.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "storage/counters/counter.h"

namespace shingled::storage::redis {

namespace {

// The first write of each script is that of the writer's number: if the server may not write, or
// has no memory left, it says so there, and nothing of the call was done. After that no error of a
// single bucket (a key that is not a hash) ends the call.
//
// Lua's numbers are doubles, so a count is two numbers: its lower 48 bits, and what is above them.
constexpr std::string_view kShared = R"lua(
local call, try = redis.call, redis.pcall
local pack, take, sub, byte, floor = struct.pack, struct.unpack, string.sub, string.byte, math.floor
local from, life, present = KEYS[1], '1382400', tonumber(ARGV[1])
local now = math.min(present, floor(call('TIME')[1] / 600))
local today = floor(now / 144)
local slot_bit, half, top = 2147483648, 281474976710656, 32767
local bits = {1, 2, 4, 8, 16, 32, 64, 128}
local formats = {'>I1', '>I2', '>I3', '>I4', '>I5', '>I6', nil, '>I2I6'}
local function day_of(period)
  if period < slot_bit then return period end
  return floor((period - slot_bit) / 144)
end
-- The bytes of a record with this mask and width; nil if there is no such width.
local function record_bytes(mask, width)
  if not formats[width] then return nil end
  local bytes = 6
  for m = 1, 8 do
    if mask % (2 * bits[m]) >= bits[m] then bytes = bytes + width end
  end
  return bytes
end
local function add_count(counts, m, low, high)
  low, high = low + (counts[m] or 0), high + (counts[m + 8] or 0)
  if low >= half then low, high = low - half, high + 1 end
  if high > top then low, high = half - 1, top end
  counts[m], counts[m + 8] = low, high
end
-- Adds the records of a text to the counts of their periods.
local function parse(text, periods)
  local at, size = 1, #text
  while at + 5 <= size do
    local period, mask, width = take('>I4BB', text, at)
    local bytes = record_bytes(mask, width)
    if not bytes or at + bytes - 1 > size then return end
    local counts = periods[period]
    if not counts then
      counts = {}
      periods[period] = counts
    end
    local next = at + 6
    for m = 1, 8 do
      if mask % (2 * bits[m]) >= bits[m] then
        local low, high = 0, 0
        if width == 8 then
          high, low = take(formats[8], text, next)
        else
          low = take(formats[width], text, next)
        end
        add_count(counts, m, low, high)
        next = next + width
      end
    end
    at = at + bytes
  end
end
local function record(period, counts)
  local mask, most, width = 0, 0, 1
  for m = 1, 8 do
    local low, high = counts[m] or 0, counts[m + 8] or 0
    if low > 0 or high > 0 then mask = mask + bits[m] end
    if low > most then most = low end
    if high > 0 then width = 8 end
  end
  if mask == 0 then return '' end
  if width < 8 then
    while most >= 256 do most, width = most / 256, width + 1 end
  end
  local out = pack('>I4BB', period, mask, width)
  for m = 1, 8 do
    if mask % (2 * bits[m]) >= bits[m] then
      if width == 8 then
        out = out .. pack(formats[8], counts[m + 8], counts[m])
      else
        out = out .. pack(formats[width], counts[m])
      end
    end
  end
  return out
end
-- The value of these periods. Slots that are over by the clocks of the daemon and of this server go
-- to their day, days that are over go away.
local function build(periods, is_unique)
  local over, order, out = {}, {}, {}
  for period in pairs(periods) do
    if period >= slot_bit and now - (period - slot_bit) >= 144 then over[#over + 1] = period end
  end
  for i = 1, #over do
    local counts, day = periods[over[i]], day_of(over[i])
    local of_day = periods[day] or {}
    periods[over[i]], periods[day] = nil, of_day
    if is_unique then
      add_count(of_day, 1, counts[2] or 0, counts[10] or 0)
    else
      for m = 1, 8 do
        if counts[m] then add_count(of_day, m, counts[m], counts[m + 8]) end
      end
    end
  end
  for period in pairs(periods) do
    if today - day_of(period) < 15 then order[#order + 1] = period end
  end
  table.sort(order, function(a, b) return a > b end)
  for i = 1, #order do out[i] = record(order[i], periods[order[i]]) end
  return table.concat(out)
end
local function is_single(text)
  local _, mask, width = take('>I4BB', text)
  return record_bytes(mask, width) == #text
end
-- The value `old` with what is added. Most additions are one record of the newest slot.
local function combine(old, new, single, is_unique)
  local periods = {}
  if single and #old >= 6 then
    local period, mask, width = take('>I4BB', old)
    local wanted = take('>I4', new)
    if wanted > period and wanted >= slot_bit and #old < 512 then return new .. old end
    local bytes = wanted == period and record_bytes(mask, width)
    if bytes and bytes <= #old then
      parse(sub(old, 1, bytes), periods)
      parse(new, periods)
      return record(period, periods[period]) .. sub(old, bytes + 1)
    end
  end
  parse(old, periods)
  parse(new, periods)
  return build(periods, is_unique)
end
-- How many counters a call may sweep.
local budget = 500
-- Removes old periods from all counters of a bucket.
local function sweep(key)
  local all = call('HGETALL', key)
  budget = budget - #all / 2
  for i = 1, #all, 2 do
    local field, value = all[i], all[i + 1]
    if #field == 9 then
      local periods = {}
      parse(value, periods)
      local kept = build(periods, uniques[byte(field, 9)])
      if kept == '' then
        call('HDEL', key, field)
      elseif kept ~= value then
        call('HSET', key, field, kept)
      end
    end
  end
end
-- After a write to a bucket: the first one of a day prolongs its life and sweeps it, unless this
-- call has swept much. `swept`: the day when it was swept.
local function tend(key, swept)
  swept = tonumber(swept or '')
  if not swept then
    call('EXPIRE', key, life)
  elseif swept < today then
    call('EXPIRE', key, life)
    if budget > 0 then
      sweep(key)
      call('HSET', key, 's', today)
    end
  elseif present == 0 then
    call('EXPIRE', key, life)
  end
end
)lua";

constexpr std::string_view kAddScript = R"lua(
local number = ARGV[2]
local last = tonumber(call('HGET', from, 'c') or '')
if last and last >= tonumber(number) then
  call('EXPIRE', from, life)
  return 0
end
call('HSET', from, 'c', number)
call('EXPIRE', from, life)
local first, recipes, single = 3 + ARGV[3], {}, {}
for r = 1, tonumber(ARGV[3]) do
  recipes[r] = ARGV[3 + r]
  single[r] = is_single(recipes[r])
end
for k = 2, #KEYS do
  local key, text, fields, n = KEYS[k], ARGV[first + k - 1], {'s'}, 1
  for i = 1, #text, 11 do
    n = n + 1
    fields[n] = sub(text, i, i + 8)
  end
  local old = try('HMGET', key, unpack(fields))
  if not old.err then
    local set = {}
    for i = 2, n do
      local high, low = byte(text, 11 * i - 12, 11 * i - 11)
      local r, field, was = 256 * high + low + 1, fields[i], old[i]
      if was then
        set[2 * i - 3] = field
        set[2 * i - 2] = combine(was, recipes[r], single[r], uniques[byte(field, 9)])
      else
        set[2 * i - 3] = field
        set[2 * i - 2] = recipes[r]
      end
    end
    if not tonumber(old[1] or '') then
      set[#set + 1] = 's'
      set[#set + 1] = today
    end
    call('HSET', key, unpack(set))
    tend(key, old[1])
  end
end
return 1
)lua";

constexpr std::string_view kAddPairsScript = R"lua(
local last = tonumber(call('HGET', from, 'p') or '') or 0
local newest = last
for at = 2, #ARGV, 4 do newest = math.max(newest, tonumber(ARGV[at])) end
if newest == last then
  call('EXPIRE', from, life)
  return 0
end
call('HSET', from, 'p', string.format('%.0f', newest))
call('EXPIRE', from, life)
local function add_pair(key, pair, unique, new)
  local old = try('HMGET', key, 's', pair, unique)
  if old.err then return end
  local period, mask = take('>I4B', new)
  local is_slot, day, before = period >= slot_bit, day_of(period), {}
  local first_of_slot, first_of_day = is_slot, true
  parse(old[2] or '', before)
  for p, counts in pairs(before) do
    if (counts[1] or 0) > 0 or (counts[9] or 0) > 0 then
      if p == period then first_of_slot = false end
      if day_of(p) == day then first_of_day = false end
    end
  end
  if not tonumber(old[1] or '') then call('HSET', key, 's', today) end
  call('HSET', key, pair, old[2] and combine(old[2], new, true, false) or new)
  if mask % 2 == 1 and (first_of_slot or first_of_day) then
    local counts = {first_of_day and 1 or 0}
    if is_slot then counts = {first_of_slot and 1 or 0, first_of_day and 1 or 0} end
    local once = record(period, counts)
    call('HSET', key, unique, old[3] and combine(old[3], once, true, true) or once)
  end
  tend(key, old[1])
end
for k = 2, #KEYS do
  local at = 4 * k - 6
  if tonumber(ARGV[at]) > last and ARGV[at + 3] ~= '' then
    add_pair(KEYS[k], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3])
  end
end
return 1
)lua";

constexpr std::string_view kReadScript = R"lua(
local out = {redis.call('HGET', KEYS[1], 'c') or ''}
for k = 2, #KEYS do
  local value = redis.pcall('HGET', KEYS[k], ARGV[k - 1])
  if type(value) == 'table' then value = 0 end
  out[k] = value
end
return out
)lua";

/// The last bytes of the fields of uniques.
std::string unique_tags() {
  std::string out = "local uniques = {";
  for (const PieceTypeRow& row : piece_types()) {
    if (row.kind != PieceTypeRow::Kind::kUnique) continue;
    for (const auto direction : {counters::Direction::kIn, counters::Direction::kOut})
      out += fmt::format("[{}] = true, ",
                         unsigned{counters::CounterKey{0, row.type, direction}.tag()});
  }
  return out + "}";
}

}  // namespace

std::span<const std::string_view> counter_scripts() {
  static const std::string shared = unique_tags().append(kShared);
  static const std::string add = shared + std::string(kAddScript);
  static const std::string add_pairs = shared + std::string(kAddPairsScript);
  static const std::array<std::string_view, 3> scripts = {add, add_pairs, kReadScript};
  return scripts;
}

}  // namespace shingled::storage::redis
