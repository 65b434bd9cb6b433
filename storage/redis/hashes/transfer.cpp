#include "storage/redis/hashes/transfer.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "storage/redis/hashes/layout.h"
#include "storage/redis/route/open_route.h"
#include "storage/redis/route/slot_map.h"
#include "storage/sqlite/base/shingle_set.h"

namespace shingled::storage::redis {

namespace {

using TakeRow = std::function<Status(const sqlite::FuzzyRow&)>;

/// Parses the key "P_<slot>_<shingle>".
std::optional<NamedSlot> slot_in_key(std::string_view prefix, std::string_view key) {
  if (!key.starts_with(prefix) || key.size() <= prefix.size() + 1) return std::nullopt;
  return parse_slot(key.substr(prefix.size() + 1));
}

class Dump {
 public:
  Dump(const TransferOptions& options, TransferServers servers, const TakeRow& take,
       const Watcher& watcher, Clock& clock)
      : prefix_(options.redis.prefix),
        expire_(options.expire.count()),
        servers_(std::move(servers)),
        take_(take),
        watcher_(watcher),
        clock_(clock) {}

  Status run() {
    if (Status read = scan("*", &Dump::read_records); !read) return read;
    return without_.empty() ? Status() : find_slots();
  }
  [[nodiscard]] const DumpReport& report() const { return report_; }

 private:
  struct Incomplete {
    sqlite::FuzzyRow row;
    std::uint32_t slots = 0;
    Shingles shingles{};
  };

  using Keys = std::vector<RedisReply>;

  /// Calls `read` with all keys of all servers that match the prefix and `rest`.
  Status scan(std::string_view rest, Status (Dump::*read)(const Keys&)) {
    const std::string glob = glob_of(prefix_, rest);
    for (const auto& server : servers_.scanned) {
      Status done = scan_keys(
          *server, glob, [&] { return clock_.now() + kTransferPatience; },
          [&](const Keys& keys) { return (this->*read)(keys); });
      if (!done) return done;
    }
    return {};
  }

  Status read_records(const Keys& keys) {
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
    const auto now = unix_seconds(clock_.wall());
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

  /// rspamd 3.4 does not store which slots a record has, so all slots are read for their owners.
  Status find_slots() {
    for (auto& [digest, incomplete] : without_) {
      for (std::size_t slot = 0; slot < kShingleCount; ++slot) {
        incomplete.shingles[slot] = sqlite::lost_slot(digest, slot);
      }
    }
    if (Status read = scan("_*_*", &Dump::read_slots); !read) return read;
    for (auto& [digest, incomplete] : without_) {
      sqlite::FuzzyRow& row = incomplete.row;
      if (incomplete.slots >= kMatchSlotsMin) row.shingles = incomplete.shingles;
      if (incomplete.slots != 0 && incomplete.slots < kShingleCount) ++report_.lost_slots;
      if (incomplete.slots != 0 && !row.shingles) ++report_.lost_hashes;
      if (Status given = give(row); !given) return given;
    }
    return {};
  }

  Status read_slots(const Keys& keys) {
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
      if (shingle == sqlite::lost_slot(digest, slots[i].slot)) ++found->second.slots;
      shingle = slots[i].shingle;
    }
    return {};
  }

  Status give(sqlite::FuzzyRow& row) {
    row.id = static_cast<std::int64_t>(++report_.hashes);
    if (report_.hashes % kWatchEvery == 0 && !watcher_({"reading hashes", report_.hashes, 0})) {
      return stopped();
    }
    return take_(row);
  }

  const std::string prefix_;
  const std::int64_t expire_;
  TransferServers servers_;
  const TakeRow& take_;
  const Watcher& watcher_;
  Clock& clock_;
  std::unordered_set<Digest, DigestHash> seen_;  ///< because a SCAN may return a key twice
  std::unordered_map<Digest, Incomplete, DigestHash> without_;
  DumpReport report_;
};

}  // namespace

Result<DumpReport> dump_redis(const TransferOptions& options, const TakeRow& take,
                              const Watcher& watcher, Clock& clock, Logger& logger) {
  TransferServers servers = servers_for(options.redis, options.redis.read_servers, clock, logger);
  if (servers.scanned.empty()) {
    return Error{ErrorCode::kUnavailable, "no server of the cluster answers"};
  }
  Dump dump(options, std::move(servers), take, watcher, clock);
  if (Status done = dump.run(); !done) return done.error();
  return dump.report();
}

TransferServers servers_for(const RedisOptions& options, const std::vector<SocketSpec>& wanted,
                            Clock& clock, Logger& logger) {
  const std::vector<SocketSpec>& places = wanted.empty() ? options.servers : wanted;
  TransferServers out;
  out.scanned = key_holders(options, places, clock.now() + kTransferPatience, clock, logger);
  auto opened = open_route(options, wanted, RedisServers::Turn::kInOrder, clock, logger);
  out.route = std::move(opened.route);
  out.cluster = opened.cluster;
  return out;
}

Result<std::vector<RedisReply>> ask(RedisRoute& route, const CommandList& commands, Clock& clock) {
  return ask_whole(route, commands, clock.now() + kTransferPatience);
}

void ask_row(CommandList& commands, std::string_view prefix, const Digest& digest) {
  const std::string key = record_key(prefix, digest);
  ask_record(commands, key, RecordPart::kWithSlots);
  commands.add({"TTL", key}, key_slot(key));
}

std::optional<sqlite::FuzzyRow> row_of(const Digest& digest, const SeenRecord& seen,
                                       std::int64_t expire, std::uint32_t now) {
  if (seen.fields.empty()) return std::nullopt;
  const std::string& slots = seen.fields.back().text;
  const auto record = parse_record(
      {.kind = RedisReply::Kind::kArray, .elements = {seen.fields.begin(), seen.fields.end() - 1}});
  if (!record) return std::nullopt;
  sqlite::FuzzyRow row;
  row.digest = digest;
  row.flags = record->flags;
  // The time to live tells when the life of the record began.
  const std::int64_t lived = expire > 0 && seen.ttl > 0 ? expire - seen.ttl : 0;
  const std::int64_t updated = now - std::clamp<std::int64_t>(lived, 0, now - 1);
  row.created = record->created != 0 ? record->created : static_cast<std::uint32_t>(updated);
  row.updated = std::max(row.created, static_cast<std::uint32_t>(updated));
  row.shingles = parse_slots(slots);
  return row;
}

}  // namespace shingled::storage::redis
