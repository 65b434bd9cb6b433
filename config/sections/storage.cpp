#include <algorithm>

#include "config/sections/sections.h"
#include "config/system/socket_address.h"

namespace shingled::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<Choice<Durability>, 3> kDurabilities = {{{"commit", Durability::kCommit},
                                                              {"normal", Durability::kNormal},
                                                              {"sync", Durability::kSync}}};

constexpr std::array<Choice<Backend>, 4> kBackends = {{{"embedded", Backend::kEmbedded},
                                                       {"sqlite", Backend::kEmbedded},
                                                       {"redis", Backend::kRedis},
                                                       {"noop", Backend::kNoop}}};

void load_engine(Section& section, EngineOptions& out) {
  Section::absolute_path(section.field("hashfile", {"hash_file", "file", "database"}),
                         "the absolute path of the database file", out.hashfile);
  section.duration<seconds>("expire", out.expire, {minutes(1), hours(24 * 36500)}, "never");
  section.duration<milliseconds>("sync", out.sync, {milliseconds(0), hours(1)});
  section.choice<Durability>("durability", out.durability, kDurabilities);
  section.number<std::uint32_t>("group_commit_max", out.group_commit_max, {1, 1'000'000});
  section.number<std::uint32_t>("update_queue_max", out.update_queue_max, {1, 16'000'000});
  section.number<std::uint32_t>("slot_owners_max", out.slot_owners_max, {1, 1024});
  section.number<std::uint32_t>("hashes_max", out.hashes_max, {0, 66'000'000});
  if (out.durability == Durability::kSync && out.sync == milliseconds(0)) {
    section.problem("durability",
                    "'sync' needs a time between commits; allowed: with a setting of "
                    "sync such as 10s, or commit or normal");
  }
  if (out.durability != Durability::kSync && out.sync != milliseconds(0)) {
    section.warning("sync",
                    "counts with durability: sync only, and every update is committed at once; "
                    "allowed: with that, or leave it out");
  }
}

void load_server(Section& section, ServerOptions& out) {
  section.sockets("listen", out.listen, kFuzzyPort);
  load_access(section, out);
  section.duration<seconds>("repeat_window", out.repeats.window, {minutes(1), hours(24 * 365)});
  section.number<std::uint32_t>("repeats_max", out.repeats.most, {1000, 100'000'000});
  section.number<std::uint32_t>("threads", out.threads, {0, 1024});
  section.duration<milliseconds>("queue_wait_max", out.queue_wait_max, {milliseconds(1), hours(1)},
                                 "never");
  section.duration<milliseconds>("tcp_timeout", out.tcp_timeout, {milliseconds(100), hours(1)});
  section.number<std::uint32_t>("tcp_connections_max", out.tcp_connections_max, {0, 1'000'000});
  section.number<std::uint32_t>("tcp_source_connections_max", out.tcp_source_connections_max,
                                {1, 1'000'000});
  section.size("tcp_unsent_bytes_max", out.tcp_unsent_bytes_max,
               {std::uint64_t{64} * 1024, std::uint64_t{1} << 30});
  section.size("socket_buffer_bytes", out.socket_buffer_bytes, {4096, std::uint64_t{1} << 30});
}

bool is_loopback(const std::string& host) {
  const auto address = IpAddress::parse(host);
  return host == "localhost" ||
         (address && contains({*Network::parse("127.0.0.0/8"), *Network::parse("::1")}, *address));
}

void warn_of_open_updates(const Section& section, const ServerOptions& options) {
  if (options.read_only) return;
  const auto everybody = std::ranges::find(options.allow_update, 0, &Network::prefix_bits);
  const auto open = std::ranges::find_if(
      options.listen, [](const SocketSpec& spec) { return !is_loopback(spec.host); });
  if (everybody == options.allow_update.end() || open == options.listen.end()) return;
  section.warning("allow_update", everybody->to_string() + " lets everybody who reaches " +
                                      open->to_string() +
                                      " add and delete hashes; allowed: the networks of those who "
                                      "teach, or keys with rights");
}

}  // namespace

void load_storage(Section&& section, StorageOptions& out) {
  section.boolean("enabled", out.enabled);
  section.choice<Backend>("backend", out.backend, kBackends);
  load_engine(section, out.engine);
  load_server(section, out.server);
  if (out.enabled) warn_of_open_updates(section, out.server);
  out.engine.repeats = out.server.repeats;
  load_redis(section.section("redis"), out.redis);
  refuse_foreign_keys(section, ForeignTo::kStorage);
  load_replication(section, out.replication);
  if (!out.replication.mirrors.empty()) out.engine.journal_max = out.replication.journal_max;
  const bool copies = !out.replication.mirrors.empty() || !out.replication.masters.empty();
  if (copies && out.backend != Backend::kEmbedded) {
    section.problem(out.replication.mirrors.empty() ? "masters" : "mirror",
                    "only the embedded storage is replicated; allowed: with backend embedded");
  }
}

}  // namespace shingled::config
