#include "storage/redis/transfer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "storage/redis/import_script.h"
#include "storage/redis/key_scan.h"
#include "storage/redis/key_slot.h"
#include "storage/redis/layout.h"
#include "storage/redis/redis_cluster.h"
#include "storage/redis/server_list.h"
#include "storage/sqlite/lost_slot.h"

namespace shingled::storage {

namespace {

constexpr std::size_t kGroup = 256;            // hashes in one round trip
constexpr std::chrono::seconds kPatience{30};  // for one answer: nobody's mail waits
constexpr std::size_t kRowReplies = 2;         // a record's fields, its time to live
constexpr std::size_t kRoundsMax = 1000;       // merges of a hash that others go on changing

using TakeRow = std::function<Status(const FuzzyRow&)>;

/// The servers of one database: a route by key, and each one that must be scanned.
struct Servers {
  std::unique_ptr<RedisRoute> route;
  std::vector<std::unique_ptr<RedisRoute>> scanned;
};

Servers servers_for(const RedisOptions& options, const std::vector<SocketSpec>& wanted,
                    Clock& clock, Logger& logger) {
  const std::vector<SocketSpec>& places = wanted.empty() ? options.servers : wanted;
  Servers out;
  out.scanned = key_holders(options, places, clock.now() + kPatience, clock, logger);
  if (options.cluster) {
    out.route = std::make_unique<RedisCluster>(options.servers, login_of(options), clock, logger);
  } else {
    out.route = std::make_unique<ServerList>(places, login_of(options), ServerList::Turn::kInOrder,
                                             clock, logger);
  }
  return out;
}

Result<std::vector<RedisReply>> ask(RedisRoute& route, const CommandList& commands, Clock& clock) {
  if (commands.empty()) return std::vector<RedisReply>();
  auto replies = route.ask(commands, clock.now() + kPatience);
  if (!replies) return replies;
  for (const RedisReply& reply : *replies) {
    if (reply.is_error(RedisCluster::kAway)) {
      return Error{ErrorCode::kUnavailable, "a server of the cluster is away"};
    }
  }
  return replies;
}

void ask_row(CommandList& commands, std::string_view prefix, const Digest& digest) {
  const std::string key = record_key(prefix, digest);
  commands.begin(3 + kRecordFields.size(), key_slot(key));
  commands.word("HMGET");
  commands.word(key);
  for (const std::string_view field : kRecordFields) commands.word(field);
  commands.word("S");
  commands.add({"TTL", key}, key_slot(key));
}

/// The row of a record; nothing where there is none. `S` gives the shingles.
std::optional<FuzzyRow> row_of(const Digest& digest, const SeenRecord& seen, std::int64_t expire,
                               std::uint32_t now) {
  if (seen.fields.empty()) return std::nullopt;
  const std::string& slots = seen.fields.back().text;
  const auto record = parse_record(
      {.kind = RedisReply::Kind::kArray, .elements = {seen.fields.begin(), seen.fields.end() - 1}});
  if (!record) return std::nullopt;
  FuzzyRow row;
  row.digest = digest;
  row.flags = record->flags;
  // What is left of its life says when that began.
  const std::int64_t lived = expire > 0 && seen.ttl > 0 ? expire - seen.ttl : 0;
  const std::int64_t updated = now - std::clamp<std::int64_t>(lived, 0, now - 1);
  row.created = record->created != 0 ? record->created : static_cast<std::uint32_t>(updated);
  row.updated = std::max(row.created, static_cast<std::uint32_t>(updated));
  row.shingles = parse_slots(slots);
  return row;
}

/// "P_<slot>_<shingle>"
std::optional<NamedSlot> slot_in_key(std::string_view prefix, std::string_view key) {
  if (!key.starts_with(prefix) || key.size() <= prefix.size() + 1) return std::nullopt;
  return parse_slot(key.substr(prefix.size() + 1));
}

class Dump {
 public:
  Dump(const TransferOptions& options, Servers servers, const TakeRow& take, const Watcher& watcher,
       Clock& clock)
      : prefix_(options.redis.prefix),
        expire_(options.expire.count()),
        servers_(std::move(servers)),
        take_(take),
        watcher_(watcher),
        clock_(clock) {}

  Status run() {
    for (const auto& server : servers_.scanned) {
      Status read = scan_keys(
          *server, glob_of(prefix_, "*"), [&] { return clock_.now() + kPatience; },
          [&](const std::vector<RedisReply>& keys) { return read_records(keys); });
      if (!read) return read;
    }
    return without_.empty() ? Status() : find_slots();
  }
  [[nodiscard]] const DumpReport& report() const { return report_; }

 private:
  struct Incomplete {
    FuzzyRow row;
    std::uint32_t slots = 0;
    Shingles shingles{};
  };

  Status read_records(const std::vector<RedisReply>& keys) {
    std::vector<Digest> digests;
    for (const RedisReply& key : keys) {
      if (key.text.size() != prefix_.size() + kDigestBytes || !key.text.starts_with(prefix_))
        continue;
      Digest digest;
      std::copy(key.text.begin() + static_cast<std::ptrdiff_t>(prefix_.size()), key.text.end(),
                digest.bytes.begin());
      if (seen_.insert(digest).second) digests.push_back(digest);
    }
    CommandList commands;
    for (const Digest& digest : digests) ask_row(commands, prefix_, digest);
    auto replies = ask(*servers_.route, commands, clock_);
    if (!replies) return replies.error();
    const auto now = static_cast<std::uint32_t>(clock_.wall().time_since_epoch().count());
    for (std::size_t i = 0; i < digests.size(); ++i) {
      auto row = row_of(digests[i],
                        {std::move((*replies)[kRowReplies * i].elements),
                         (*replies)[kRowReplies * i + 1].integer},
                        expire_, now);
      if (!row) {
        ++report_.broken;
      } else if (!row->shingles) {
        without_[row->digest].row = *row;
      } else if (Status given = give(*row); !given) {
        return given;
      }
    }
    return {};
  }

  /// rspamd 3.4 does not say which slots a record has: whoever owns one tells.
  Status find_slots() {
    for (auto& [digest, incomplete] : without_) {
      for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
        incomplete.shingles[slot] = lost_slot(digest, slot);
      }
    }
    for (const auto& server : servers_.scanned) {
      Status read = scan_keys(
          *server, glob_of(prefix_, "_*_*"), [&] { return clock_.now() + kPatience; },
          [&](const std::vector<RedisReply>& keys) { return read_slots(keys); });
      if (!read) return read;
    }
    for (auto& [digest, incomplete] : without_) {
      FuzzyRow& row = incomplete.row;
      if (incomplete.slots >= kMatchSlotsMin) row.shingles = incomplete.shingles;
      if (incomplete.slots != 0 && incomplete.slots < kShingleCount) ++report_.lost_slots;
      if (incomplete.slots != 0 && !row.shingles) ++report_.lost_hashes;
      if (Status given = give(row); !given) return given;
    }
    return {};
  }

  Status read_slots(const std::vector<RedisReply>& keys) {
    std::vector<NamedSlot> slots;
    CommandList commands;
    for (const RedisReply& key : keys) {
      const auto slot = slot_in_key(prefix_, key.text);
      if (!slot) continue;
      slots.push_back(*slot);
      commands.add({"GET", key.text}, key_slot(key.text));
    }
    const auto owners = ask(*servers_.route, commands, clock_);
    if (!owners) return owners.error();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::string& owner = (*owners)[i].text;
      if (!(*owners)[i].is_text() || owner.size() != kDigestBytes) continue;
      Digest digest;
      std::copy(owner.begin(), owner.end(), digest.bytes.begin());
      const auto found = without_.find(digest);
      if (found == without_.end()) continue;
      std::uint64_t& shingle = found->second.shingles[slots[i].slot];
      if (shingle == lost_slot(digest, slots[i].slot)) ++found->second.slots;
      shingle = slots[i].shingle;
    }
    return {};
  }

  Status give(FuzzyRow& row) {
    row.id = static_cast<std::int64_t>(++report_.hashes);
    if (report_.hashes % kWatchEvery == 0 && !watcher_({"reading hashes", report_.hashes, 0})) {
      return stopped();
    }
    return take_(row);
  }

  const std::string prefix_;
  const std::int64_t expire_;
  Servers servers_;
  const TakeRow& take_;
  const Watcher& watcher_;
  Clock& clock_;
  std::unordered_set<Digest, DigestHash> seen_;  ///< a SCAN may name a key twice
  std::unordered_map<Digest, Incomplete, DigestHash> without_;
  DumpReport report_;
};

}  // namespace

Result<DumpReport> dump_redis(const TransferOptions& options, const TakeRow& take,
                              const Watcher& watcher, Clock& clock, Logger& logger) {
  Servers servers = servers_for(options.redis, options.redis.read_servers, clock, logger);
  if (servers.scanned.empty()) {
    return Error{ErrorCode::kUnavailable, "no server of the cluster answers"};
  }
  Dump dump(options, std::move(servers), take, watcher, clock);
  if (Status done = dump.run(); !done) return done.error();
  return dump.report();
}

struct RedisImport::State {
  State(const TransferOptions& given, MergeRule merge_rule, Servers reached, Clock& time)
      : options(given), rule(merge_rule), servers(std::move(reached)), clock(time) {}

  struct Merged {
    FuzzyRow coming;
    FuzzyRow row;
    std::int64_t left = 0;
    bool is_new = false;
  };

  Status write_group();
  Status write_once();
  Result<std::vector<SeenRecord>> read_group();

  TransferOptions options;
  MergeRule rule;
  Servers servers;
  Clock& clock;
  Import::Counts counts;
  std::vector<FuzzyRow> group;
  std::unordered_set<Digest, DigestHash> in_group;
};

Result<std::unique_ptr<RedisImport>> RedisImport::open(const TransferOptions& options,
                                                       MergeRule rule, Clock& clock,
                                                       Logger& logger) {
  Servers servers = servers_for(options.redis, options.redis.write_servers, clock, logger);
  CommandList commands;
  commands.add({"GET", count_key(options.redis.prefix)}, key_slot(count_key(options.redis.prefix)));
  const auto replies = ask(*servers.route, commands, clock);
  if (!replies) return replies.error();
  return std::unique_ptr<RedisImport>(
      new RedisImport(std::make_unique<State>(options, rule, std::move(servers), clock)));
}

RedisImport::RedisImport(std::unique_ptr<State> state) : state_(std::move(state)) {}
RedisImport::~RedisImport() = default;

Status RedisImport::take(const FuzzyRow& coming) {
  // A digest that comes twice must find what the first made.
  const bool again = state_->in_group.count(coming.digest) != 0;
  if (again || state_->group.size() >= kGroup) {
    if (Status written = finish(); !written) return written;
  }
  state_->in_group.insert(coming.digest);
  state_->group.push_back(coming);
  return {};
}

Status RedisImport::finish() { return state_->write_group(); }

const Import::Counts& RedisImport::counts() const { return state_->counts; }

Status RedisImport::State::write_group() {
  for (std::size_t round = 0; !group.empty(); ++round) {
    if (round == kRoundsMax) {
      return Error{ErrorCode::kUnavailable, "a hash changes faster than it can be merged"};
    }
    if (Status written = write_once(); !written) return written;
  }
  in_group.clear();
  return {};
}

/// Reads what is there and writes the merges; what somebody changed in between stays in the group.
Status RedisImport::State::write_once() {
  auto seen = read_group();
  if (!seen) return seen.error();
  const std::string& prefix = options.redis.prefix;
  const ImportContext context{prefix, !options.redis.cluster};
  const std::int64_t expire = options.expire.count();
  const auto now = static_cast<std::uint32_t>(clock.wall().time_since_epoch().count());
  CommandList commands;
  std::vector<Merged> written;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const auto stored = row_of(group[i].digest, (*seen)[i], expire, now);
    FuzzyRow row = stored ? merged(*stored, group[i], rule) : group[i];
    const std::int64_t left = expire == 0 ? 0 : row.updated + expire - now;
    if ((stored && row == *stored) || (expire > 0 && left <= 0)) {
      ++counts.unchanged;
      continue;
    }
    append_import(commands, context, row, (*seen)[i], left);
    written.push_back({group[i], row, left, !stored});
  }
  group.clear();
  const auto outcomes = ask(*servers.route, commands, clock);
  if (!outcomes) return outcomes.error();
  commands.clear();
  for (std::size_t i = 0; i < written.size(); ++i) {
    Merged& one = written[i];
    const RedisReply& outcome = (*outcomes)[i];
    if (outcome.is_error()) return Error{ErrorCode::kCorrupt, "Redis refuses: " + outcome.text};
    if (outcome.integer == 0) {
      group.push_back(one.coming);
      continue;
    }
    ++(one.is_new ? counts.added : counts.merged);
    if (!context.in_one_step) append_slots(commands, prefix, one.row, one.is_new, one.left);
  }
  const auto claimed = ask(*servers.route, commands, clock);
  if (!claimed) return claimed.error();
  for (const RedisReply& reply : *claimed) {
    if (reply.is_error()) return Error{ErrorCode::kCorrupt, "Redis refuses: " + reply.text};
  }
  return {};
}

Result<std::vector<SeenRecord>> RedisImport::State::read_group() {
  CommandList commands;
  for (const FuzzyRow& row : group) ask_row(commands, options.redis.prefix, row.digest);
  auto replies = ask(*servers.route, commands, clock);
  if (!replies) return replies.error();
  std::vector<SeenRecord> seen;
  for (std::size_t i = 0; i < group.size(); ++i) {
    RedisReply& fields = (*replies)[kRowReplies * i];
    if (fields.is_error()) return Error{ErrorCode::kCorrupt, "Redis refuses: " + fields.text};
    seen.push_back({std::move(fields.elements), (*replies)[kRowReplies * i + 1].integer});
  }
  return seen;
}

}  // namespace shingled::storage
