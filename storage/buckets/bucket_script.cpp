#include "storage/buckets/bucket_script.h"

#include <algorithm>
#include <charconv>

#include "storage/redis/key_slot.h"

namespace shingled::storage {

namespace {

// A bucket's text is "SECONDS NANOSECONDS ERA ROOM UNIT": when it will be empty; which bucket of
// this name it is, 4096 times, and how often its drops moved up; a full one leaks for ROOM
// nanoseconds, one drop for UNIT. Arrays, one MGET and plain concatenation: what a bucket costs
// here is what bounds the decisions a second of all daemons together.
constexpr std::string_view kScript = R"lua(
local call, what, many = redis.call, ARGV[1], #KEYS
local time = call('TIME')
local now_s, now_ns = tonumber(time[1]), tonumber(time[2]) * 1000
local born = (now_s * 1000000 + tonumber(time[2])) % 1048576 * 4096

local left, era, law = {}, {}, {}
local function read(first, last)
  local texts = call('MGET', unpack(KEYS, first, last))
  for i = first, last do
    left[i], era[i] = 0, born
    local text = texts[i - first + 1]
    if text and #text == 32 then
      local s, ns, e = struct.unpack('>I8I4I4', text)
      local rest = (s - now_s) * 1e9 + (ns - now_ns)
      if rest > 0 then left[i], era[i], law[i] = rest, e, string.sub(text, 17) end
    end
  end
end
local function write(key, rest, e, l)
  if rest <= 0 then return call('DEL', key) end
  local ns = (now_ns + rest) % 1e9
  local s = now_s + (now_ns + rest - ns) / 1e9
  call('SET', key, struct.pack('>I8I4I4', s, ns, e) .. l, 'PX', math.ceil(rest / 1e6) + 1)
end

if what == 'set' then
  write(KEYS[1], math.min(tonumber(ARGV[2]), tonumber(ARGV[3])), born, ARGV[4])
  return 0
end

for first = 1, many, 1000 do read(first, math.min(first + 999, many)) end
local place, here = {}, {}
for i = 1, many do
  local key = KEYS[i]
  here[i] = place[key] or i
  place[key] = here[i]
end

if what == 'take' then
  local fits, by, wait = true, 0, 0
  local was, cut, out = {}, {}, {1, 0, 0, now_s, now_ns}
  for i = 1, many do
    local added, room, it = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), here[i]
    local is = left[it]
    if it == i then
      if is > room then is, era[i], cut[i] = room, born, true end
      was[i] = is
    end
    if is + added <= room then
      is = is + added
    else
      local longer = added > room and -1 or is + added - room
      if fits or (wait >= 0 and (longer < 0 or longer > wait)) then by, wait = i, longer end
      fits = false
    end
    left[it] = is
    out[4 + 2 * i] = is
    out[5 + 2 * i] = era[it]
  end
  for i = 1, many do
    if not fits then out[4 + 2 * i] = was[here[i]] end
    if here[i] == i and (fits or cut[i]) then
      write(KEYS[i], fits and left[i] or was[i], era[i], ARGV[3 * i + 1])
    end
  end
  if not fits then out[1], out[2], out[3] = 0, by, wait end
  return out
end

local passed = (now_s - ARGV[2]) * 1e9 + (now_ns - ARGV[3])
for i = many, 1, -1 do
  local it, added, then_era = here[i], tonumber(ARGV[4 * i]), tonumber(ARGV[4 * i + 1])
  local stood = (ARGV[4 * i + 2] - now_s) * 1e9 + (ARGV[4 * i + 3] - now_ns)
  local moves = era[it] % 4096
  if left[it] > 0 and era[it] - moves == then_era - then_era % 4096 then
    local stands = era[it] == then_era and moves ~= 4095
    local back = math.max(0, math.min(stands and stood or added - passed, added))
    if back > 0 then
      if not (stands and stood == left[it]) and moves ~= 4095 then era[it] = era[it] + 1 end
      left[it] = left[it] - back
      write(KEYS[i], left[it], era[it], law[it])
    end
  end
end
return 0
)lua";

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLongestSeconds = 4'000'000'000;  // 127 years: what a LeakRate may say
constexpr std::size_t kBucketBytes = 32;
constexpr std::size_t kTakenHead = 5;  // words of a take's reply before those of the buckets

std::string number(std::int64_t value) { return std::to_string(value); }
std::string nanoseconds(Duration time) { return number(time.count()); }
/// What a bucket's bytes end in. Most significant byte first: so Lua's struct has it.
std::string law_of(const LeakRate& rate) {
  std::string out;
  for (const Duration each : {rate.room(), rate.time_of(1)}) {
    for (int shift = 56; shift >= 0; shift -= 8)
      out += static_cast<char>(static_cast<std::uint64_t>(each.count()) >> shift & 0xff);
  }
  return out;
}
std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<std::uint8_t>(byte);
  return static_cast<std::int64_t>(value);
}

void begin_call(CommandList& commands, const ScriptName& name, std::string_view prefix,
                std::span<const BucketDemand> demands, DemandNumbers numbers, std::size_t words) {
  const auto key = [&](std::size_t i) { return redis_bucket_key(prefix, demands[i].key); };
  commands.begin(3 + numbers.size() + words, key_slot(key(numbers.front())));
  commands.word(name.verb);
  commands.word(name.script);
  commands.word(std::to_string(numbers.size()));
  for (const std::size_t i : numbers) commands.word(key(i));
}

std::optional<std::int64_t> parse(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::string_view bucket_script() { return kScript; }

std::string redis_bucket_key(std::string_view prefix, std::string_view key) {
  std::string out(prefix);
  out += ':';
  return out += key.substr(0, kBucketKeyMax);
}

void append_take(CommandList& commands, const ScriptName& name, std::string_view prefix,
                 std::span<const BucketDemand> demands, DemandNumbers numbers) {
  begin_call(commands, name, prefix, demands, numbers, 1 + 3 * numbers.size());
  commands.word("take");
  for (const std::size_t i : numbers) {
    const BucketDemand& what = demands[i];
    commands.word(nanoseconds(what.rate.time_of(what.amount)));
    commands.word(nanoseconds(what.rate.room()));
    commands.word(law_of(what.rate));
  }
}

void append_give_back(CommandList& commands, const ScriptName& name, std::string_view prefix,
                      std::span<const BucketDemand> demands, const BucketAnswer& answer,
                      DemandNumbers numbers) {
  begin_call(commands, name, prefix, demands, numbers, 3 + 4 * numbers.size());
  commands.word("give");
  commands.word(number(answer.at / kSecond));
  commands.word(number(answer.at % kSecond));
  for (const std::size_t i : numbers) {
    const BucketLevel& level = answer.levels[i];
    commands.word(nanoseconds(demands[i].rate.time_of(demands[i].amount)));
    commands.word(std::to_string(level.era));
    commands.word(number(level.end / kSecond));
    commands.word(number(level.end % kSecond));
  }
}

void append_set(CommandList& commands, const ScriptName& name, std::string_view prefix,
                std::string_view key, const LeakRate& rate, double drops) {
  const BucketDemand demand{key, rate};
  const std::size_t only = 0;
  begin_call(commands, name, prefix, {&demand, 1}, {&only, 1}, 4);
  commands.word("set");
  commands.word(nanoseconds(rate.time_of(drops)));
  commands.word(nanoseconds(rate.room()));
  commands.word(law_of(rate));
}

std::optional<bool> read_taken(const RedisReply& reply, std::span<const BucketDemand> demands,
                               DemandNumbers numbers, BucketAnswer& answer) {
  const auto& words = reply.elements;
  if (words.size() != kTakenHead + 2 * numbers.size()) return std::nullopt;
  const auto is_number = [](const RedisReply& word) {
    return word.kind == RedisReply::Kind::kInteger;
  };
  if (!std::all_of(words.begin(), words.end(), is_number)) return std::nullopt;
  const bool taken = words[0].integer == 1;
  const std::int64_t now = words[3].integer * kSecond + words[4].integer;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const Duration left(words[kTakenHead + 2 * k].integer);
    BucketLevel& level = answer.levels[numbers[k]];
    level.drops = demands[numbers[k]].rate.amount_in(left);
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

std::optional<BucketState> read_bucket(std::string_view key, const RedisReply& time,
                                       const RedisReply& value) {
  if (!value.is_text() || time.elements.size() != 2) return std::nullopt;
  const auto now_s = parse(time.elements[0].text);
  const auto now_us = parse(time.elements[1].text);
  const std::string_view bytes = value.text;
  if (!now_s || !now_us || bytes.size() != kBucketBytes) return std::nullopt;
  const std::int64_t end_s = big_endian(bytes.substr(0, 8));
  if (end_s < *now_s || end_s - *now_s > kLongestSeconds) return std::nullopt;
  const Duration left((end_s - *now_s) * kSecond + big_endian(bytes.substr(8, 4)) - *now_us * 1000);
  if (left <= Duration::zero()) return std::nullopt;
  BucketState state;
  state.key = key;
  state.rate = LeakRate::of(Duration(big_endian(bytes.substr(24, 8))),
                            Duration(big_endian(bytes.substr(16, 8))));
  state.empty_in = left;
  return state;
}

}  // namespace shingled::storage
