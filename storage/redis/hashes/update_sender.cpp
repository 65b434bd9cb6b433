#include "storage/redis/hashes/update_sender.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "config/base/hex.h"
#include "config/base/number_text.h"
#include "storage/redis/hashes/layout.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

Status outcome_of(const RedisReply& reply) {
  if (!reply.is_error()) return {};
  return Error{ErrorCode::kCorrupt, "Redis refuses: " + reply.text};
}

std::uint64_t count_in(const RedisReply& reply) {
  const auto count = parse_whole<std::int64_t>(reply.text, 0);
  return static_cast<std::uint64_t>(count.value_or(0));
}

ScriptSender::ScriptSender(RedisRoute& route, ScriptContext context, ReplicaWait wait)
    : route_(route),
      context_(std::move(context)),
      wait_(wait),
      script_(route, std::array{update_script()}) {}

Result<std::vector<Status>> ScriptSender::send(std::span<const TimedUpdate> updates,
                                               TimePoint deadline) {
  const auto write = [&](CommandList& commands, const std::string& script) {
    for (const TimedUpdate& timed : updates) {
      append_update(commands, script, context_, *timed.update, timed.time);
    }
    // The replies to the commands below are ignored: after an error a repetition would fail, too.
    commands.add({"INCR", revision_key(context_.prefix)});
    for (const std::string& marker : settled_) {
      commands.add({"EXPIRE", marker, std::to_string(kMarkerDoneSeconds)});
    }
  };
  const auto replies = run(write, deadline);
  if (!replies) return replies.error();
  settled_.clear();
  std::vector<Status> outcomes;
  outcomes.reserve(updates.size());
  for (std::size_t i = 0; i < updates.size(); ++i) {
    outcomes.push_back(outcome_of((*replies)[i]));
  }
  return outcomes;
}

void ScriptSender::settle(std::span<const TimedUpdate> updates) {
  for (const TimedUpdate& timed : updates) {
    settled_.push_back(marker_key(context_.prefix, timed.update->name));
  }
}

Status ScriptSender::refresh(std::span<const Fingerprint> found, TimePoint deadline) {
  const auto replies = run(
      [&](CommandList& commands, const std::string& script) {
        for (const Fingerprint& each : found) append_refresh(commands, script, context_, each);
      },
      deadline);
  if (!replies) return replies.error();
  return {};
}

Result<std::uint64_t> ScriptSender::count(TimePoint deadline) {
  CommandList commands;
  commands.add({"GET", count_key(context_.prefix)});
  const auto replies = route_.ask(commands, deadline);
  if (!replies) return replies.error();
  return count_in(replies->front());
}

Result<std::vector<RedisReply>> ScriptSender::run(const Write& write, TimePoint deadline) {
  const auto call = [&](CommandList& commands, Scripts::Names names) {
    write(commands, names.front());
    commands.wait_for(wait_);
  };
  return whole(script_.call(call, deadline));
}

namespace {

// KEYS: the record, the marker, the counter. ARGV: see the names in the first lines. Without a
// counter only the record and the marker are changed.
constexpr std::string_view kUpdateScript = R"lua(
local record, marker, count = KEYS[1], KEYS[2], KEYS[3]
local what, expire, now, digest, prefix = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local slots, flag, value, weak, remember = ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10]

local function whole(text)
  return text and #text <= 18 and string.find(text, '^%-?%d+$') and text
end
local function name(kind, i)
  return i == 0 and kind or kind .. i
end
local function lists()
  local fields = redis.call('HMGET', record, 'F', 'V', 'F1', 'V1', 'F2', 'V2', 'F3', 'V3',
                            'F4', 'V4', 'F5', 'V5', 'F6', 'V6', 'F7', 'V7')
  local flags, values = {}, {}
  for i = 0, 7 do
    local f, v = whole(fields[2 * i + 1]), whole(fields[2 * i + 2])
    if f and v then flags[i], values[i] = f, v end
  end
  return flags, values
end
local function put(i, f, v)
  redis.call('HSET', record, name('F', i), f, name('V', i), v)
end
local function largest_first()
  local flags, values = lists()
  local best
  for i = 0, 7 do
    if flags[i] and (not best or tonumber(values[i]) > tonumber(values[best])) then best = i end
  end
  if not best or best == 0 then return end
  put(0, flags[best], values[best])
  if flags[0] then
    put(best, flags[0], values[0])
  else
    redis.call('HDEL', record, name('F', best), name('V', best))
  end
end
local function keep(key)
  if expire > 0 then redis.call('EXPIRE', key, expire) else redis.call('PERSIST', key) end
end
local function claim(key)
  -- Most of an add is this: a text for the seconds, as a number would be printed for each slot.
  if expire > 0 then redis.call('SETEX', key, ARGV[2], digest)
  else redis.call('SET', key, digest) end
end
local head = prefix .. '_'
local function each_slot(text, act)
  for slot in string.gmatch(text, '[^,]+') do act(head .. slot) end
end
local function owner(key)
  return redis.pcall('GET', key)
end
local function unlink(text)
  each_slot(text, function(key) if owner(key) == digest then redis.call('DEL', key) end end)
end
local function repeated()
  if redis.call('SET', marker, '1', 'NX', 'EX', remember) then return false end
  redis.call('EXPIRE', marker, remember)
  return true
end

if what == 'touch' then
  local own = redis.call('HGET', record, 'S')
  if expire == 0 or redis.call('EXPIRE', record, expire) == 0 then return 0 end
  if own then
    -- A slot whose shingle is lost has a number in S that no question has: compare only slots of the question.
    local asked = ',' .. slots .. ','
    each_slot(own, function(key)
      local now_of = owner(key)
      if now_of == digest then
        keep(key)
      elseif not now_of and string.find(asked, ',' .. string.sub(key, #prefix + 2) .. ',', 1, true) then
        claim(key)
      end
    end)
  else
    each_slot(slots, keep)
  end
  return 0
end

local existed = redis.call('EXISTS', record) == 1
if what == 'add' and not existed then
  -- What the rest would make of no record, in one command.
  if repeated() then return 1 end
  if slots ~= '' then
    redis.call('HSET', record, 'F', flag, 'V', value, 'C', now, 'S', slots)
    if count then each_slot(slots, claim) end
  else
    redis.call('HSET', record, 'F', flag, 'V', value, 'C', now)
  end
  if expire > 0 then redis.call('EXPIRE', record, ARGV[2]) end
  if count then redis.pcall('INCR', count) end
  return 0
end

local own = redis.call('HGET', record, 'S')
local flags, values = lists()
if repeated() then return 1 end

if what == 'add' then
  local mine, free, least
  for i = 0, 7 do
    if not flags[i] then
      free = free or i
    else
      if flags[i] == flag then mine = mine or i end
      if not least or tonumber(values[i]) < tonumber(values[least]) then least = i end
    end
  end
  if mine then
    redis.call('HINCRBY', record, name('V', mine), value)
  elseif free then
    put(free, flag, value)
  elseif weak ~= '1' and tonumber(value) > tonumber(values[least]) then
    put(least, flag, value)
  end
  largest_first()
  redis.call('HSETNX', record, 'C', now)
  if slots ~= '' then
    if count then
      if own and own ~= slots then unlink(own) end
      each_slot(slots, claim)
    end
    redis.call('HSET', record, 'S', slots)
  end
  keep(record)
  return 0
end

if flag ~= '' then
  local mine, others
  for i = 0, 7 do
    if flags[i] == flag then mine = mine or i elseif flags[i] then others = true end
  end
  if not mine then return 0 end
  if others then
    redis.call('HDEL', record, name('F', mine), name('V', mine))
    largest_first()
    return 0
  end
end
redis.call('DEL', record)
if count then
  if own then unlink(own) end
  unlink(slots)
  if existed then redis.pcall('DECR', count) end
end
return 0
)lua";

constexpr std::string_view kCountScript = R"lua(
local count, marker, more, remember = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
if redis.call('SET', marker, '1', 'NX', 'EX', remember) then
  redis.pcall('INCRBY', count, more)
else
  redis.call('EXPIRE', marker, remember)
end
return 0
)lua";

/// `keys`: the record, the marker (not for a refresh), and the counter unless in a cluster.
void append_call(CommandList& commands, const std::string& script, std::uint16_t slot,
                 std::initializer_list<std::string_view> keys,
                 std::initializer_list<std::string_view> arguments) {
  commands.begin(3 + keys.size() + arguments.size(), slot);
  commands.word("EVALSHA");
  commands.word(script);
  commands.word(std::to_string(keys.size()));
  for (const std::string_view key : keys) commands.word(key);
  for (const std::string_view argument : arguments) commands.word(argument);
}

void append_update_call(CommandList& commands, const std::string& script,
                        const ScriptContext& context, std::uint16_t slot,
                        std::initializer_list<std::string_view> keys, const Update& update,
                        std::uint32_t now) {
  const Fingerprint& what = update.fingerprint;
  const bool is_add = update.kind == Update::Kind::kAdd;
  const bool all_lists = !is_add && update.flag == 0;
  append_call(
      commands, script, slot, keys,
      {is_add ? "add" : "del", std::to_string(context.expire), std::to_string(now),
       as_text(what.digest.bytes), context.prefix,
       what.shingles ? slots_text(*what.shingles) : std::string(),
       all_lists ? std::string() : std::to_string(update.flag), std::to_string(update.value),
       update.weak ? "1" : "0", std::to_string(kMarkerSeconds)});
}

}  // namespace

std::string_view update_script() { return kUpdateScript; }

std::string_view count_script() { return kCountScript; }

std::string marker_key(std::string_view prefix, const UpdateId& name) {
  return std::string(prefix) + "_done_" + to_hex(name);
}

std::string marker_beside(std::string_view prefix, std::string_view key, const UpdateId& name,
                          std::string_view ending) {
  std::string marker(prefix);
  marker += "_done_{" + slot_tag(key_slot(key)) + "}_" + to_hex(name);
  return marker += ending;
}

void append_update(CommandList& commands, const std::string& script, const ScriptContext& context,
                   const Update& update, std::uint32_t now) {
  const std::string record = record_key(context.prefix, update.fingerprint.digest);
  const std::string marker = marker_key(context.prefix, update.name);
  const std::string count = count_key(context.prefix);
  append_update_call(commands, script, context, 0, {record, marker, count}, update, now);
}

void append_record_update(CommandList& commands, const std::string& script,
                          const ScriptContext& context, const Update& update, std::uint32_t now,
                          std::string_view marker, std::uint16_t slot) {
  const std::string record = record_key(context.prefix, update.fingerprint.digest);
  append_update_call(commands, script, context, slot, {record, marker}, update, now);
}

void append_refresh(CommandList& commands, const std::string& script, const ScriptContext& context,
                    const Fingerprint& what) {
  const std::string record = record_key(context.prefix, what.digest);
  append_call(commands, script, 0, {record},
              {"touch", std::to_string(context.expire), "0", as_text(what.digest.bytes),
               context.prefix, what.shingles ? slots_text(*what.shingles) : std::string()});
}

}  // namespace shingled::storage::redis
