#include "storage/redis/hashes/redis_import.h"

#include <array>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "storage/redis/hashes/layout.h"
#include "storage/redis/hashes/transfer.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/scripts.h"
#include "storage/redis/route/slot_map.h"
#include "storage/sqlite/base/shingle_set.h"

namespace shingled::storage::redis {

namespace {

constexpr std::size_t kGroup = 256;       // hashes in one round trip
constexpr std::size_t kRoundsMax = 1000;  // attempts to merge a hash that others keep changing
// The pause before servers that were away are asked again.
constexpr auto kPause = RedisServer::kAwayMin;

/// Whether asking again may help. It is safe, because commands that are sent twice count once.
bool may_pass(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDenied;
}

}  // namespace

struct RedisImport::State {
  State(const TransferOptions& given, formats::MergeRule merge_rule, TransferServers reached,
        Clock& time, Random& names)
      : options(given),
        rule(merge_rule),
        servers(std::move(reached)),
        scripts(*servers.route, std::array{import_script(), count_script()}),
        clock(time),
        random(names) {}

  /// A hash of the group, and the number of its bit in the marker of the group.
  struct Line {
    sqlite::FuzzyRow coming;
    std::size_t number = 0;
  };
  struct Merged {
    Line line;
    sqlite::FuzzyRow row;
    std::int64_t left = 0;
    bool is_new = false;
  };
  /// The names of the scripts.
  struct ScriptNames {
    const std::string& import;
    const std::string& count;
  };
  using Write = std::function<void(CommandList&, const ScriptNames& names)>;

  Status write_group();
  Status write_once(std::size_t round);
  Status finish_in_cluster(const std::vector<Merged>& written, std::size_t round);
  Result<std::vector<SeenRecord>> read_group();
  Result<std::vector<RedisReply>> ask_patiently(const Write& write);
  [[nodiscard]] ImportContext context() const {
    return {options.redis.prefix, name, !options.redis.cluster};
  }

  TransferOptions options;
  formats::MergeRule rule;
  TransferServers servers;
  Scripts scripts;
  Clock& clock;
  Random& random;
  formats::Import::Counts counts;
  std::vector<Line> group;
  UpdateId name{};  ///< of the group
  std::unordered_set<Digest, DigestHash> in_group;
  std::set<std::string> markers;   ///< of the group
  std::set<std::string> finished;  ///< of the previous group; they are not needed any more
};

Result<std::unique_ptr<RedisImport>> RedisImport::open(const TransferOptions& options,
                                                       formats::MergeRule rule, Clock& clock,
                                                       Random& random, Logger& logger) {
  TransferServers servers = servers_for(options.redis, options.redis.write_servers, clock, logger);
  auto state = std::make_unique<State>(options, rule, std::move(servers), clock, random);
  if (Status loaded = state->scripts.load(clock.now() + kTransferPatience); !loaded)
    return loaded.error();
  return std::unique_ptr<RedisImport>(new RedisImport(std::move(state)));
}

RedisImport::RedisImport(std::unique_ptr<State> state) : state_(std::move(state)) {}
RedisImport::~RedisImport() = default;

Status RedisImport::take(const sqlite::FuzzyRow& coming) {
  // If a digest comes twice, the first one must be written before the second one is merged.
  const bool again = state_->in_group.count(coming.digest) != 0;
  if (again || state_->group.size() >= kGroup) {
    if (Status written = finish(); !written) return written;
  }
  state_->in_group.insert(coming.digest);
  state_->group.push_back({coming, state_->group.size()});
  return {};
}

Status RedisImport::finish() { return state_->write_group(); }

const formats::Import::Counts& RedisImport::counts() const { return state_->counts; }

Status RedisImport::State::write_group() {
  random.fill(name);
  for (std::size_t round = 0; !group.empty(); ++round) {
    if (round == kRoundsMax) {
      return Error{ErrorCode::kUnavailable, "a hash changes faster than it can be merged"};
    }
    if (Status written = write_once(round); !written) return written;
  }
  in_group.clear();
  finished.merge(markers);
  markers.clear();
  return {};
}

/// Reads the records of the group and writes the merges. Hashes whose record was changed in between
/// stay in the group.
Status RedisImport::State::write_once(std::size_t round) {
  auto seen = read_group();
  if (!seen) return seen.error();
  const std::int64_t expire = options.expire.count();
  const auto now = unix_seconds(clock.wall());
  std::vector<Merged> merges;
  std::vector<const SeenRecord*> replaced;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const sqlite::FuzzyRow& coming = group[i].coming;
    const auto stored = row_of(coming.digest, (*seen)[i], expire, now);
    sqlite::FuzzyRow row = stored ? formats::merged(*stored, coming, rule) : coming;
    const std::int64_t left = expire == 0 ? 0 : row.updated + expire - now;
    if ((stored && row == *stored) || (expire > 0 && left <= 0)) {
      ++counts.unchanged;
      continue;
    }
    markers.insert(group_marker(context(), row.digest));
    merges.push_back({group[i], row, left, !stored});
    replaced.push_back(&(*seen)[i]);
  }
  group.clear();
  const auto outcomes = ask_patiently([&](CommandList& commands, const ScriptNames& names) {
    for (std::size_t i = 0; i < merges.size(); ++i) {
      const Merged& one = merges[i];
      append_import(commands, names.import, context(), one.line.number, one.row, *replaced[i],
                    one.left);
    }
  });
  if (!outcomes) return outcomes.error();
  std::vector<Merged> written;
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const RedisReply& outcome = (*outcomes)[i];
    if (outcome.is_error()) return Error{ErrorCode::kCorrupt, "Redis refuses: " + outcome.text};
    if (outcome.integer == 0) {
      group.push_back(merges[i].line);
      continue;
    }
    ++(merges[i].is_new ? counts.added : counts.merged);
    if (options.redis.cluster) written.push_back(merges[i]);
  }
  return finish_in_cluster(written, round);
}

/// Writes the slots and the counter, which a cluster cannot write in one step with the records.
Status RedisImport::State::finish_in_cluster(const std::vector<Merged>& written,
                                             std::size_t round) {
  if (written.empty()) return {};
  const std::string& prefix = options.redis.prefix;
  const std::string count = count_key(prefix);
  const std::string marker = marker_beside(prefix, count, name, "_count" + std::to_string(round));
  std::size_t added = 0;
  for (const Merged& one : written) added += one.is_new ? 1 : 0;
  if (added != 0) markers.insert(marker);
  const auto replies = ask_patiently([&](CommandList& commands, const ScriptNames& names) {
    for (const Merged& one : written) append_slots(commands, prefix, one.row, one.left);
    if (added == 0) return;
    commands.add({"EVALSHA", names.count, "2", count, marker, std::to_string(added),
                  std::to_string(kGroupMarkerSeconds)},
                 key_slot(count));
  });
  if (!replies) return replies.error();
  for (const RedisReply& reply : *replies) {
    if (reply.is_error()) return Error{ErrorCode::kCorrupt, "Redis refuses: " + reply.text};
  }
  return {};
}

Result<std::vector<SeenRecord>> RedisImport::State::read_group() {
  auto replies = ask_patiently([&](CommandList& commands, const ScriptNames& /*names*/) {
    for (const Line& line : group) ask_row(commands, options.redis.prefix, line.coming.digest);
    for (const std::string& marker : finished) commands.add({"DEL", marker}, key_slot(marker));
  });
  if (!replies) return replies.error();
  finished.clear();
  std::vector<SeenRecord> seen;
  for (std::size_t i = 0; i < group.size(); ++i) {
    RedisReply& fields = (*replies)[kRowReplies * i];
    if (fields.is_error()) return Error{ErrorCode::kCorrupt, "Redis refuses: " + fields.text};
    seen.push_back({std::move(fields.elements), (*replies)[kRowReplies * i + 1].integer});
  }
  return seen;
}

Result<std::vector<RedisReply>> RedisImport::State::ask_patiently(const Write& write) {
  const auto call = [&](CommandList& commands, Scripts::Names names) {
    write(commands, {.import = names[0], .count = names[1]});
  };
  const TimePoint give_up = clock.now() + kTransferPatience;
  for (;;) {
    auto replies = whole(scripts.call(call, clock.now() + kTransferPatience));
    if (replies || !may_pass(replies.error()) || clock.now() >= give_up) return replies;
    std::this_thread::sleep_for(kPause);
  }
}

namespace {

// KEYS: the record, the marker of the group, and the counter unless in a cluster. ARGV: the number
// of the line; the life of the marker in seconds; the life of the record in seconds, new and as it
// was read; the digest; the keys of the slots to claim (one per line, because a prefix may contain
// a comma); 18 fields as they were read ('=value', or '-' if absent); then the names and values of
// the fields to write.
constexpr std::string_view kImportScript = R"lua(
local record, marker, count = KEYS[1], KEYS[2], KEYS[3]
local line, remember, left, seen = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local digest, slots = ARGV[5], ARGV[6]
if redis.call('GETBIT', marker, line) == 1 then return 1 end
local names = {'F', 'V', 'C', 'F1', 'V1', 'F2', 'V2', 'F3', 'V3', 'F4', 'V4', 'F5', 'V5',
               'F6', 'V6', 'F7', 'V7', 'S'}
local there = redis.call('HMGET', record, unpack(names))
for i = 1, #names do
  if (there[i] and '=' .. there[i] or '-') ~= ARGV[6 + i] then return 0 end
end
redis.call('SETBIT', marker, line, 1)
redis.call('EXPIRE', marker, remember)
local is_new = redis.call('EXISTS', record) == 0
redis.call('HDEL', record, unpack(names, 1, #names - 1))
redis.call('HSET', record, unpack(ARGV, 7 + #names))
if left == 0 then
  redis.call('PERSIST', record)
elseif is_new or redis.call('TTL', record) <= seen then
  redis.call('EXPIRE', record, left)
end
for key in string.gmatch(slots, '[^\n]+') do
  if left == 0 then redis.call('SET', key, digest)
  else redis.call('SET', key, digest, 'EX', left) end
end
if count and is_new then redis.pcall('INCR', count) end
return 1
)lua";

/// Calls `each` for each slot of the row that a question can match, so not for lost slots.
template <typename Each>
void for_each_slot(const sqlite::FuzzyRow& row, const Each& each) {
  if (!row.shingles) return;
  for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
    const std::uint64_t shingle = (*row.shingles)[slot];
    if (shingle != sqlite::lost_slot(row.digest, slot)) each(slot, shingle);
  }
}

std::string seen_text(const RedisReply& field) { return field.is_text() ? '=' + field.text : "-"; }

}  // namespace

std::string_view import_script() { return kImportScript; }

std::string group_marker(const ImportContext& context, const Digest& digest) {
  if (context.in_one_step) return marker_key(context.prefix, context.group);
  return marker_beside(context.prefix, record_key(context.prefix, digest), context.group);
}

void append_import(CommandList& commands, const std::string& script, const ImportContext& context,
                   std::size_t line, const sqlite::FuzzyRow& row, const SeenRecord& seen,
                   std::int64_t left) {
  const std::string record = record_key(context.prefix, row.digest);
  std::string slots;
  if (context.in_one_step) {
    for_each_slot(row, [&](std::size_t slot, std::uint64_t shingle) {
      slots += slot_key(context.prefix, slot, shingle) + '\n';
    });
  }
  const auto lists = row.flags.all();
  const std::size_t keys = context.in_one_step ? 3 : 2;
  const std::size_t written = 2 + 4 * lists.size() + (row.shingles ? 2 : 0);
  commands.begin(3 + keys + 6 + seen.fields.size() + written, key_slot(record));
  commands.word("EVALSHA");
  commands.word(script);
  commands.word(std::to_string(keys));
  commands.word(record);
  commands.word(group_marker(context, row.digest));
  if (context.in_one_step) commands.word(count_key(context.prefix));
  commands.word(std::to_string(line));
  commands.word(std::to_string(kGroupMarkerSeconds));
  commands.word(std::to_string(left));
  commands.word(std::to_string(seen.ttl));
  commands.word(as_text(row.digest.bytes));
  commands.word(slots);
  for (const RedisReply& field : seen.fields) commands.word(seen_text(field));
  commands.word("C");
  commands.word(std::to_string(row.created));
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::string number = i == 0 ? "" : std::to_string(i);
    commands.word("F" + number);
    commands.word(std::to_string(lists[i].flag));
    commands.word("V" + number);
    commands.word(std::to_string(lists[i].value));
  }
  if (row.shingles) {
    commands.word("S");
    commands.word(slots_text(*row.shingles));
  }
}

void append_slots(CommandList& commands, std::string_view prefix, const sqlite::FuzzyRow& row,
                  std::int64_t left) {
  for_each_slot(row, [&](std::size_t slot, std::uint64_t shingle) {
    claim_slot(commands, slot_key(prefix, slot, shingle), row.digest, left);
  });
}

}  // namespace shingled::storage::redis
