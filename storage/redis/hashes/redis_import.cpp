#include "storage/redis/hashes/redis_import.h"

#include <array>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "storage/redis/hashes/import_script.h"
#include "storage/redis/hashes/layout.h"
#include "storage/redis/hashes/transfer_servers.h"
#include "storage/redis/route/key_slot.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/scripts.h"

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

}  // namespace shingled::storage::redis
