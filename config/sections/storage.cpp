#include <algorithm>

#include "config/keys/forms.h"
#include "config/sections/sections.h"
#include "config/system/socket_address.h"

namespace shingled::config {

namespace {

constexpr std::array<Choice<Durability>, 3> kDurabilities = {{{"commit", Durability::kCommit},
                                                              {"normal", Durability::kNormal},
                                                              {"sync", Durability::kSync}}};

constexpr std::array<Choice<Backend>, 4> kBackends = {{{"embedded", Backend::kEmbedded},
                                                       {"sqlite", Backend::kEmbedded},
                                                       {"redis", Backend::kRedis},
                                                       {"noop", Backend::kNoop}}};

/// Other programs spell it in other ways.
void read_hashfile(Section& section, std::string_view key, std::string& out) {
  Section::absolute_path(section.field(key, {"hash_file", "file", "database"}),
                         "the absolute path of the database file", out);
}

Keys<Settings> engine_keys() {
  const auto engine = at_start(&Settings::storage)(&StorageOptions::engine);
  return {
      key("hashfile", engine(&EngineOptions::hashfile),
          Typed<std::string>{"path", read_hashfile,
                             [](const std::string& path) { return flow_scalar(path); }},
          "the database; other spellings: hash_file, file, database"),
      key("expire", engine(&EngineOptions::expire), Time{1min, 24h * 36500, "never"},
          "a hash that is not taught again for this long is deleted, {}; 0 = never"),
      key("durability", engine(&EngineOptions::durability), OneOf(kDurabilities),
          "what an update survives once it is confirmed: commit = a power failure, normal = a "
          "crash of the daemon; sync = as normal, and commits are delayed by up to `sync`"),
      key("sync", engine(&EngineOptions::sync), Time{0ms, 1h},
          "with durability sync: longest wait of an update for its commit, 1ms to 1h"),
      constant("group_commit_max", engine(&EngineOptions::group_commit_max), Number::write),
      constant("update_queue_max", engine(&EngineOptions::update_queue_max), Number::write),
      constant("slot_owners_max", engine(&EngineOptions::slot_owners_max), Number::write),
      key("hashes_max", engine(&EngineOptions::hashes_max), Number{0, 66'000'000},
          "number of hashes, 1 to 66000000, about 400 bytes of memory each; further ones are "
          "refused; 0 = as "
          "many as fit into three quarters of the memory"),
  };
}

void check_engine(const Section& section, const EngineOptions& engine) {
  const std::chrono::milliseconds none{0};
  if (engine.durability == Durability::kSync && engine.sync == none) {
    section.problem("durability",
                    "'sync' needs a time between commits; allowed: with a setting of "
                    "sync such as 10s, or commit or normal");
  }
  if (engine.durability != Durability::kSync && engine.sync != none) {
    section.warning("sync",
                    "counts with durability: sync only, and every update is committed at once; "
                    "allowed: with that, or leave it out");
  }
}

Keys<Settings> repeat_keys() {
  const auto repeats =
      at_start(&Settings::storage)(&StorageOptions::server)(&ServerOptions::repeats);
  return {
      key("repeat_window", repeats(&RepeatOptions::window), Time{1min, 24h * 365},
          "how long encrypted updates are remembered at least, {}"),
      key("repeats_max", repeats(&RepeatOptions::most), Number{1000, 100'000'000},
          "how many are remembered, {}, each up to 32 bytes in memory and on disk; above this the "
          "oldest are forgotten, the newer half is kept"),
  };
}

Keys<Settings> port_keys() {
  const auto start = at_start(&Settings::storage)(&StorageOptions::server);
  const auto live = at_reload(&Settings::storage)(&StorageOptions::server);
  return {
      key("threads", start(&ServerOptions::threads), Number{0, 1024},
          "threads that serve packets, 1 to 1024; 0 = one for each processor"),
      key("queue_wait_max", live(&ServerOptions::queue_wait_max), Time{1ms, 1h, "never"},
          "a request that waited longer is dropped, because its client has given up; {}, 0 = never "
          "drop"),
      key("socket_buffer_bytes", start(&ServerOptions::socket_buffer_bytes), Size{4 * kKi, kGi},
          "kernel buffer of each UDP socket, {}"),
      key("tcp_timeout", live(&ServerOptions::tcp_timeout), Time{100ms, 1h},
          "a TCP connection without a request for this long is closed, {}"),
      key("tcp_connections_max", live(&ServerOptions::tcp_connections_max), Number{0, 1'000'000},
          "open at the same time, {}, as far as descriptors (ulimit -n) allow; 0 = UDP only"),
      key("tcp_source_connections_max", live(&ServerOptions::tcp_source_connections_max),
          Number{1, 1'000'000}, "of one source (IPv4 address, IPv6 /64), {}"),
      key("tcp_unsent_bytes_max", live(&ServerOptions::tcp_unsent_bytes_max), Size{64 * kKi, kGi},
          "total size of replies that clients have not read yet, {}; above this, slow clients are "
          "disconnected"),
  };
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

void check_storage(Section& section, Settings& settings) {
  StorageOptions& storage = settings.storage;
  refuse_foreign_keys(section, ForeignTo::kStorage);
  check_engine(section, storage.engine);
  check_access(section, storage.server);
  if (storage.enabled) warn_of_open_updates(section, storage.server);
  check_replication(section, settings);
  storage.engine.repeats = storage.server.repeats;
  const ReplicationOptions& replication = storage.replication;
  if (!replication.mirrors.empty()) storage.engine.journal_max = replication.journal_max;
  const bool copies = !replication.mirrors.empty() || !replication.masters.empty();
  if (copies && storage.backend != Backend::kEmbedded) {
    section.problem(replication.mirrors.empty() ? "masters" : "mirror",
                    "only the embedded storage is replicated; allowed: with backend embedded");
  }
}

}  // namespace

Key<Settings> storage_section() {
  const auto start = at_start(&Settings::storage);
  const auto server = start(&StorageOptions::server);
  return map<Settings>(
      "storage",
      joined<Settings>({{
                            key("enabled", start(&StorageOptions::enabled), Switch{},
                                "no = rules only ask their servers"),
                            key("backend", start(&StorageOptions::backend), OneOf(kBackends),
                                "where the hashes are stored: embedded (or sqlite) = in the file "
                                "below, redis = on a server that other daemons and rspamd share, "
                                "noop = nowhere (no hits, updates are discarded)"),
                        },
                        engine_keys(),
                        repeat_keys(),
                        {
                            key("listen", server(&ServerOptions::listen), Sockets(kFuzzyPort),
                                "addresses of the service; the default port is 11335"),
                        },
                        access_keys(),
                        port_keys(),
                        {redis_section()},
                        replication_keys()}),
      check_storage);
}

}  // namespace shingled::config
