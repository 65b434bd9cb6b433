#include "storage/redis/buckets/bucket_script.h"

#include <algorithm>
#include <unordered_map>

#include "config/base/number_text.h"
#include "mime/fingerprint/secret_hash.h"
#include "storage/redis/route/slot_map.h"

namespace shingled::storage::redis {

namespace {

// The cost of a bucket in this script bounds the decisions per second of all daemons together.
// So each key and each law (rate and burst) is sent once, and a call is one word with their
// numbers packed; arrays have the right size from the beginning; there is one MGET, and one write
// per key, even if several calls use the key. SETRANGE costs a third of PSETEX and does not change
// the expiry of a key. So a key expires after twice the time its bucket needs to get empty, and
// the whole value is written again only when the bucket would outlive that.
constexpr std::string_view kScript = R"lua(
local call, what, many = redis.call, ARGV[1], #KEYS
local read, pack, byte = struct.unpack, struct.pack, string.byte
local time = call('TIME')
local now_s, now_ns = time[1] + 0, time[2] * 1000
local born = (now_s * 1000000 + time[2]) % 1048576 * 4096

local left, era, lives, rooms, units, changed
if many <= 1000 then
  left, era, lives = call('MGET', unpack(KEYS)), {unpack(KEYS)}, {unpack(KEYS)}
  rooms, units, changed = {unpack(KEYS)}, {unpack(KEYS)}, {unpack(KEYS)}
else
  left, era, lives, rooms, units, changed = {}, {}, {}, {}, {}, {}
  for first = 1, many, 1000 do
    local some = call('MGET', unpack(KEYS, first, math.min(first + 999, many)))
    for i = 1, #some do left[first + i - 1] = some[i] end
  end
end
for k = 1, many do
  local text = left[k]
  left[k], era[k], lives[k], changed[k] = 0, born, 0, false
  if text and #text == 40 then
    local s, ns, e, u, room, unit = read('>I8I4I4I8I8I8', text)
    local rest = (s - now_s) * 1e9 + (ns - now_ns)
    if rest > 0 then left[k], era[k] = rest, e end
    lives[k], rooms[k], units[k] = u, room, unit
  end
end

local replies = {}
if what == 'take' then
  local laws, count = {}, ARGV[2] + 0
  for l = 1, count do laws[l] = {read('>I8I8I8I8', ARGV[l + 2])} end
  for m = count + 3, #ARGV do
    local word = ARGV[m]
    local n = #word / 5
    local fits, by, wait = true, 0, 0
    local out = {1, 0, 0, now_s, now_ns}
    for i = 1, n do
      local a, b, c, d, e = byte(word, 5 * i - 4, 5 * i)
      local k, l = a * 65536 + b * 256 + c, d * 256 + e
      local law, is = laws[l], left[k]
      local added, room = law[1], law[2]
      if is > room then is, era[k], lives[k], changed[k] = room, born, 0, l end
      if law[3] ~= rooms[k] or law[4] ~= units[k] then lives[k] = 0 end
      out[4 + 2 * i], out[5 + 2 * i] = is, era[k]
      if is + added <= room then
        is = is + added
      else
        local longer = added > room and -1 or is + added - room
        if fits or (wait >= 0 and (longer < 0 or longer > wait)) then by, wait = i, longer end
        fits = false
      end
      left[k] = is
    end
    if fits then
      for i = 1, n do
        local a, b, c, d, e = byte(word, 5 * i - 4, 5 * i)
        changed[a * 65536 + b * 256 + c] = d * 256 + e
      end
    else
      out[1], out[2], out[3] = 0, by, wait
      for i = n, 1, -1 do
        local a, b, c = byte(word, 5 * i - 4, 5 * i - 2)
        left[a * 65536 + b * 256 + c] = out[4 + 2 * i]
      end
      for i = 1, n do
        local a, b, c = byte(word, 5 * i - 4, 5 * i - 2)
        out[4 + 2 * i] = left[a * 65536 + b * 256 + c]
      end
    end
    replies[#replies + 1] = out
  end
elseif what == 'give' then
  for m = 2, #ARGV do
    local word = ARGV[m]
    local then_s, then_ns = read('>I8I4', word)
    local passed = (now_s - then_s) * 1e9 + (now_ns - then_ns)
    for at = #word - 26, 13, -27 do
      local k, added, then_era, s, ns = read('>I3I8I4I8I4', word, at)
      local stood = (s - now_s) * 1e9 + (ns - now_ns)
      local moves = era[k] % 4096
      if left[k] > 0 and era[k] - moves == then_era - then_era % 4096 then
        local stands = era[k] == then_era and moves ~= 4095
        local back = math.max(0, math.min(stands and stood or added - passed, added))
        if back > 0 then
          if not (stands and stood == left[k]) and moves ~= 4095 then era[k] = era[k] + 1 end
          left[k], changed[k] = left[k] - back, true
        end
      end
    end
    replies[#replies + 1] = 0
  end
else
  for m = 2, #ARGV do
    local k, added, room = read('>I3I8I8', ARGV[m])
    left[k], era[k], lives[k], changed[k] = math.min(added, room), born, 0, m - 2
    replies[#replies + 1] = 0
  end
end

local texts = {}
for k = 1, many do
  local l = changed[k]
  if l then
    local rest, key = left[k], KEYS[k]
    local ns = (now_ns + rest) % 1e9
    local s = now_s + (now_ns + rest - ns) / 1e9
    if rest <= 0 then
      call('DEL', key)
    elseif s < lives[k] or l == true then
      call('SETRANGE', key, '0', pack('>I8I4I4', s, ns, era[k]))
    else
      local more = 2 * (s - now_s) + 2
      local text = texts[more]
      if not text then
        text = string.format('%.0f', more * 1000)
        texts[more] = text
      end
      local law = string.sub(ARGV[l + 2], -16)
      call('PSETEX', key, text, pack('>I8I4I4I8', s, ns, era[k], now_s + more) .. law)
    end
  end
end
return replies
)lua";

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLongestSeconds = 4'000'000'000;  // 127 years: the longest of a LeakRate
constexpr std::size_t kBucketBytes = 40;
constexpr std::size_t kTakenHead = 5;  // words of the reply to a take before those of the buckets

/// Most significant byte first, as Lua's struct reads it with '>'.
void append_bytes(std::string& out, std::int64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xff);
}
/// An amount, the room with bursts, and the two numbers at the end of a stored bucket.
std::string amount_and_law(Duration amount, const buckets::BucketDemand& what) {
  std::string out;
  for (const Duration each : {amount, what.limit().room(), what.rate.room(), what.rate.time_of(1)})
    append_bytes(out, each.count(), 8);
  return out;
}
std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<std::uint8_t>(byte);
  return static_cast<std::int64_t>(value);
}

/// Numbers texts in the order in which they come; equal texts get the same number.
class Numbering {
 public:
  /// The number of a text. The first number is 1, as in Lua.
  std::int64_t of(const std::string& text) {
    const auto [at, fresh] = numbers_.try_emplace(text, texts_.size() + 1);
    if (fresh) texts_.push_back(&text);
    return static_cast<std::int64_t>(at->second);
  }
  [[nodiscard]] const std::vector<const std::string*>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string_view, std::size_t, TextHash> numbers_;
  std::vector<const std::string*> texts_;
};

constexpr int kKeyNumberBytes = 3;
constexpr int kLawNumberBytes = 2;

/// The word of one call: the numbers of its keys and laws (kTake), or numbers and packed changes.
std::string word_of(const ScriptCall& call, Numbering& keys, Numbering& laws) {
  std::string out;
  if (call.verb == ScriptCall::Verb::kGiveBack) {
    append_bytes(out, call.at / kSecond, 8);
    append_bytes(out, call.at % kSecond, 4);
  }
  for (std::size_t i = 0; i < call.keys.size(); ++i) {
    append_bytes(out, keys.of(call.keys[i]), kKeyNumberBytes);
    if (call.verb == ScriptCall::Verb::kTake) {
      append_bytes(out, laws.of(call.words[i]), kLawNumberBytes);
    } else {
      out += call.words[i];
    }
  }
  return out;
}

/// The sum with the rounding of Lua, where all numbers are doubles.
Duration sum_as_in_lua(Duration a, Duration b) {
  return Duration(
      static_cast<Duration::rep>(static_cast<double>(a.count()) + static_cast<double>(b.count())));
}

ScriptCall begin_call(ScriptCall::Verb verb, std::string_view prefix,
                      std::span<const buckets::BucketDemand> demands, DemandNumbers numbers) {
  ScriptCall call;
  call.verb = verb;
  call.keys.reserve(numbers.size());
  call.words.reserve(numbers.size());
  for (const std::size_t i : numbers) call.keys.push_back(redis_bucket_key(prefix, demands[i].key));
  return call;
}

std::string_view name_of(ScriptCall::Verb verb) {
  switch (verb) {
    case ScriptCall::Verb::kTake:
      return "take";
    case ScriptCall::Verb::kGiveBack:
      return "give";
    case ScriptCall::Verb::kSet:
      return "set";
  }
  return {};
}

}  // namespace

std::string_view bucket_script() { return kScript; }

std::string redis_bucket_key(std::string_view prefix, std::string_view key) {
  std::string out(prefix);
  out += ':';
  return out += key.substr(0, buckets::kBucketKeyMax);
}

ScriptCall take_call(std::string_view prefix, std::span<const buckets::BucketDemand> demands,
                     DemandNumbers numbers) {
  ScriptCall call = begin_call(ScriptCall::Verb::kTake, prefix, demands, numbers);
  for (const std::size_t i : numbers) {
    const buckets::BucketDemand& what = demands[i];
    call.words.push_back(amount_and_law(what.rate.time_of(what.amount), what));
  }
  return call;
}

ScriptCall give_back_call(std::string_view prefix, std::span<const buckets::BucketDemand> demands,
                          const buckets::BucketAnswer& answer, DemandNumbers numbers) {
  ScriptCall call = begin_call(ScriptCall::Verb::kGiveBack, prefix, demands, numbers);
  call.at = answer.at;
  for (const std::size_t i : numbers) {
    const buckets::BucketLevel& level = answer.levels[i];
    std::string& word = call.words.emplace_back();
    append_bytes(word, demands[i].rate.time_of(demands[i].amount).count(), 8);
    append_bytes(word, level.era, 4);
    append_bytes(word, level.end / kSecond, 8);
    append_bytes(word, level.end % kSecond, 4);
  }
  return call;
}

ScriptCall set_call(std::string_view prefix, std::string_view key, const LeakRate& rate,
                    double drops) {
  const buckets::BucketDemand demand{key, rate};
  const std::size_t only = 0;
  ScriptCall call = begin_call(ScriptCall::Verb::kSet, prefix, {&demand, 1}, {&only, 1});
  call.words.push_back(amount_and_law(rate.time_of(drops), demand));
  return call;
}

void append_calls(CommandList& commands, const ScriptName& name,
                  std::span<const ScriptCall* const> together) {
  const ScriptCall& first = *together.front();
  const bool takes = first.verb == ScriptCall::Verb::kTake;
  Numbering keys;
  Numbering laws;
  std::vector<std::string> words;
  words.reserve(together.size());
  for (const ScriptCall* call : together) words.push_back(word_of(*call, keys, laws));
  const std::size_t head = takes ? 5 + laws.texts().size() : 4;
  commands.begin(head + keys.texts().size() + words.size(), key_slot(first.keys.front()));
  commands.word(name.verb);
  commands.word(name.script);
  commands.word(std::to_string(keys.texts().size()));
  for (const std::string* key : keys.texts()) commands.word(*key);
  commands.word(name_of(first.verb));
  if (takes) commands.word(std::to_string(laws.texts().size()));
  for (const std::string* law : laws.texts()) commands.word(*law);
  for (const std::string& word : words) commands.word(word);
}

std::optional<bool> read_taken(const RedisReply& reply,
                               std::span<const buckets::BucketDemand> demands,
                               DemandNumbers numbers, buckets::BucketAnswer& answer) {
  const auto& words = reply.elements;
  if (words.size() != kTakenHead + 2 * numbers.size()) return std::nullopt;
  const auto is_number = [](const RedisReply& word) {
    return word.kind == RedisReply::Kind::kInteger;
  };
  if (!std::all_of(words.begin(), words.end(), is_number)) return std::nullopt;
  const bool taken = words[0].integer == 1;
  const std::int64_t now = words[3].integer * kSecond + words[4].integer;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const buckets::BucketDemand& what = demands[numbers[k]];
    Duration left(words[kTakenHead + 2 * k].integer);
    if (taken) left = sum_as_in_lua(left, what.rate.time_of(what.amount));
    buckets::BucketLevel& level = answer.levels[numbers[k]];
    level.drops = what.rate.amount_in(left);
    level.end = now + left.count();
    level.era = static_cast<std::uint32_t>(words[kTakenHead + 2 * k + 1].integer);
  }
  answer.at = answer.at == 0 ? now : std::min(answer.at, now);
  if (taken) return true;
  const std::size_t by = static_cast<std::size_t>(words[1].integer) - 1;
  if (by >= numbers.size()) return std::nullopt;
  const Duration wait = words[2].integer < 0 ? Duration::max() : Duration(words[2].integer);
  if (answer.taken || wait > answer.wait) {
    answer.wait = wait;
    answer.refused_by = numbers[by];
  }
  answer.taken = false;
  return false;
}

std::optional<buckets::BucketState> read_bucket(std::string_view key, const RedisReply& time,
                                                const RedisReply& value) {
  if (!value.is_text() || time.elements.size() != 2) return std::nullopt;
  const auto now_s = parse_whole<std::int64_t>(time.elements[0].text, 0);
  const auto now_us = parse_whole<std::int64_t>(time.elements[1].text, 0);
  const std::string_view bytes = value.text;
  if (!now_s || !now_us || bytes.size() != kBucketBytes) return std::nullopt;
  const std::int64_t end_s = big_endian(bytes.substr(0, 8));
  if (end_s < *now_s || end_s - *now_s > kLongestSeconds) return std::nullopt;
  const Duration left((end_s - *now_s) * kSecond + big_endian(bytes.substr(8, 4)) - *now_us * 1000);
  if (left <= Duration::zero()) return std::nullopt;
  buckets::BucketState state;
  state.key = key;
  state.rate = LeakRate::of(Duration(big_endian(bytes.substr(32, 8))),
                            Duration(big_endian(bytes.substr(24, 8))));
  state.empty_in = left;
  return state;
}

}  // namespace shingled::storage::redis
