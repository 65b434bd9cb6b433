#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/secret.h"
#include "config/options/redis_options.h"
#include "config/system/socket_address.h"

namespace shingled {

/// When an update counts as stored, in terms of SQLite (PROTOCOL.md 10.1).
enum class Durability : std::uint8_t {
  kCommit,  ///< WAL, synchronous=FULL: survives a crash of the machine. Default.
  kNormal,  ///< WAL, synchronous=NORMAL: survives kill -9; a power failure may lose the last
            ///< commits
  kSync,  ///< commits at least every `sync`, replies still wait for the commit: fewest disk writes
};

/// How long an encrypted update is remembered, so that it counts once, no matter who repeats it.
struct RepeatOptions {
  std::chrono::seconds window = std::chrono::hours(24);  ///< 1m to 365d
  /// Number of them, 1000 to 100000000; the oldest are forgotten first. Each takes up to 32 bytes
  /// of memory, and 8 bytes on disk plus a row for each transaction.
  std::uint32_t most = 1'000'000;

  friend bool operator==(const RepeatOptions&, const RepeatOptions&) = default;
};

/// Section `storage`, first half: the embedded engine.
struct EngineOptions {
  std::string hashfile = "/var/lib/shingled/fuzzy.db";
  /// A hash without a WRITE for this long is deleted; 1m to 36500d, 0 = never.
  std::chrono::seconds expire = std::chrono::hours(24 * 90);
  /// With durability sync: longest wait of an update for its commit, 1ms to 1h.
  std::chrono::milliseconds sync{0};
  Durability durability = Durability::kCommit;
  std::uint32_t group_commit_max = 4096;    ///< updates in one transaction; not in the file
  std::uint32_t update_queue_max = 65'536;  ///< updates waiting; more are refused; not in the file
  std::uint32_t slot_owners_max = 16;  ///< digests that may own one shingle slot; not in the file
  /// Number of stored hashes, 1 to 66000000. Above this new ones are refused; stored hashes can
  /// still be taught, deleted and found. 0 = as many as fit into three quarters of the memory.
  std::uint32_t hashes_max = 0;
  RepeatOptions repeats;          ///< the same as in ServerOptions
  std::uint32_t journal_max = 0;  ///< changes kept for mirrors (ReplicationOptions); 0 = none

  friend bool operator==(const EngineOptions&, const EngineOptions&) = default;
};

/// How often something may happen.
struct RateOptions {
  double rate = 0;   ///< per second on average; up to 1e6
  double burst = 0;  ///< at once; 1 to 1e9

  friend bool operator==(const RateOptions&, const RateOptions&) = default;
};

/// What clients with one of the server's keys may do (PROTOCOL.md section 5.9). Rights to update
/// only count if `allow_update` is empty.
struct KeyRights {
  std::string name;  ///< for people
  bool may_read = true;
  bool may_write = false;
  bool may_delete = false;
  /// Lists whose hits these clients do not see, instead of the server's `forbidden_ids`.
  std::optional<std::vector<std::uint8_t>> forbidden_ids;
  std::optional<RateOptions> ratelimit;  ///< of their CHECKs
  std::optional<WallTime> expire;        ///< from then on they may do nothing

  friend bool operator==(const KeyRights&, const KeyRights&) = default;
};

/// A key pair of the server (PROTOCOL.md section 3.4).
struct Keypair {
  std::array<std::uint8_t, 32> public_key{};
  SecretKey secret_key;
  KeyRights rights;

  friend bool operator==(const Keypair& a, const Keypair& b) {
    return a.public_key == b.public_key && a.rights == b.rights;
  }
};

/// Requests by source network; off while `rate` or `burst` is 0.
///
/// The defaults fit a mail server that is much larger than most: 5 million messages a day are 60
/// per second, and three times as many in the busiest hour. Each message asks for two or three
/// hashes, and again if an answer is lost. That is about 500 per second, and ten seconds of them at
/// once after a pause. A victim of packets with a forged sender gets at most that many replies.
/// rspamd has no limit by default; with one, it bans for an hour. Our default is not to ban,
/// because a source may be forged, and the ban would hit somebody else.
struct RateLimitOptions {
  double rate = 500;                   ///< requests a second, 0 to 1e6
  double burst = 5000;                 ///< at once, 0 to 1e9
  std::uint32_t network_mask = 24;     ///< IPv4 bits of a source, 1 to 32; IPv6 always has 64
  std::uint32_t max_buckets = 2000;    ///< sources remembered, 8 to 1000000
  std::chrono::seconds bucket_ttl{0};  ///< ban after exceeding it, 1s to 36500d; 0 = none
  bool encrypted = false;              ///< encrypted requests count, too
  /// Limit of encrypted datagrams of known keys, if `encrypted` is false: per second and at once, 0
  /// to 1e6 and 0 to 1e9; off while either is 0. A busy client was measured with 50 000 per second.
  RateOptions sealed{.rate = 60'000, .burst = 120'000};
  std::vector<Network> whitelist;  ///< never limited, like local and trusted networks
  bool log_only = false;           ///< log it and serve the request

  [[nodiscard]] bool enabled() const { return rate > 0 && burst > 0; }
  friend bool operator==(const RateLimitOptions&, const RateLimitOptions&) = default;
};

/// How many shared keys are computed for unknown clients. Each takes about 40 µs, and anybody can
/// make any number of keys. A client needs one for each thread that it reaches, while its key is
/// kept. Not in the file.
struct AgreementOptions {
  /// By each thread: 1000 per second take 4 % of its time.
  RateOptions thread{.rate = 1000, .burst = 1000};
  /// With one source: enough for a hundred clients that restart and reach eight threads at once.
  RateOptions source{.rate = 100, .burst = 1000};

  friend bool operator==(const AgreementOptions&, const AgreementOptions&) = default;
};

/// Files with entries of the lists, one per line, and files with keys. Read at the start and when
/// they change.
struct ListFiles {
  std::vector<std::string> allow_update;
  std::vector<std::string> allow_update_keys;
  std::vector<std::string> trusted;
  std::vector<std::string> blocked;
  std::vector<std::string> delay_whitelist;
  std::vector<std::string> ratelimit_whitelist;
  std::vector<std::string> skip_hashes;
  std::vector<std::string> keypair;
  std::string dynamic_keys_map;  ///< empty = none

  friend bool operator==(const ListFiles&, const ListFiles&) = default;
};

/// Section `storage`, second half: the fuzzy service on the standard port.
struct ServerOptions {
  std::vector<SocketSpec> listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 11335, ""},
                                    {SocketSpec::Kind::kInet6, "::1", 11335, ""}};
  std::vector<Network> allow_update = {*Network::parse("127.0.0.0/8"), *Network::parse("::1")};
  /// These clients get 144-byte replies without encryption.
  std::vector<Network> trusted = {*Network::parse("127.0.0.0/8"), *Network::parse("::1")};
  /// IDs (BLAKE2b-512 of the public key) of server keys whose clients may update. Ignored if
  /// `allow_update` or its files have entries.
  std::vector<std::array<std::uint8_t, 64>> allow_update_keys;
  std::vector<Network> blocked;                           ///< dropped before parsing
  std::vector<std::array<std::uint8_t, 64>> skip_hashes;  ///< digests neither stored nor shown
  std::vector<std::uint8_t> forbidden_ids;                ///< lists whose hits are never shown
  std::vector<std::uint8_t> weak_ids;                     ///< lists whose WRITEs are weak
  /// A hash is hidden until it has this age, plus up to half as much; 0 to 365d, 0 = at once.
  std::chrono::seconds delay{0};
  std::vector<Network> delay_whitelist;  ///< clients that see it at once
  RateLimitOptions ratelimit;
  ListFiles files;
  std::vector<Keypair> keypair;          ///< the last one is the default key
  std::vector<Keypair> dynamic_keypair;  ///< from dynamic_keys_map; never the default key
  /// Shared keys that each thread keeps, about 250 bytes each; 0 to 1000000, 0 = none.
  std::uint32_t keypair_cache_size = 4096;
  AgreementOptions agreements;
  RepeatOptions repeats;
  bool encrypted_only = false;  ///< requests without encryption are refused
  bool read_only = false;       ///< every WRITE and DEL is refused
  std::uint32_t threads = 0;    ///< worker threads, 1 to 1024; 0 = one per processor
  /// A request that waited longer is dropped, because its client has given up; unencrypted updates
  /// are not dropped. 1ms to 1h, 0 = never.
  std::chrono::milliseconds queue_wait_max{500};
  /// A TCP connection without a request for this long is closed; 100ms to 1h.
  std::chrono::milliseconds tcp_timeout{5000};
  std::uint32_t tcp_connections_max = 4096;  ///< open at once, 0 to 1000000; 0 = no TCP
  /// Connections of one source, an IPv4 address or an IPv6 /64; 1 to 1000000.
  std::uint32_t tcp_source_connections_max = 256;
  /// All replies that clients have not read, 64K to 1G; above this slow clients are disconnected.
  std::uint64_t tcp_unsent_bytes_max = 16UL * 1024 * 1024;
  std::uint64_t socket_buffer_bytes = 4UL * 1024 * 1024;  ///< of each UDP socket, 4K to 1G

  friend bool operator==(const ServerOptions&, const ServerOptions&) = default;
};

/// A store that we push to: one host of an entry of `mirror`.
struct MirrorOptions {
  std::string name;  ///< for the log
  SocketSpec address;
  std::array<std::uint8_t, 32> key{};  ///< its public key

  friend bool operator==(const MirrorOptions&, const MirrorOptions&) = default;
};

/// Section `storage`, third part: the masters that push to us, and the mirrors that we push to.
struct ReplicationOptions {
  std::vector<Network> masters;  ///< may push to us; none = we do not listen
  std::vector<std::array<std::uint8_t, 32>> master_key;  ///< their public keys
  /// A connection that was silent for this long is closed; 1s to 1h.
  std::chrono::seconds master_timeout{10};
  std::vector<SocketSpec> listen = {{SocketSpec::Kind::kInet, "", 11336, ""}};  ///< for masters
  std::vector<Keypair> sync_keypair;      ///< our own, as mirror and as master; at most one
  std::vector<MirrorOptions> mirrors;     ///< we push to them
  std::uint32_t journal_max = 1'000'000;  ///< changes kept for mirrors, 1000 to 1000000000

  friend bool operator==(const ReplicationOptions&, const ReplicationOptions&) = default;
};

/// Where the hashes are stored.
enum class Backend : std::uint8_t {
  kEmbedded,  ///< the engine in this process, over `hashfile`
  kRedis,     ///< a Redis database, shared with other daemons and with rspamd
  kNoop,      ///< nowhere: every CHECK is a miss, updates are discarded
};

/// Section `storage`: where the hashes are stored, the service in front of it, its copies.
struct StorageOptions {
  bool enabled = true;
  Backend backend = Backend::kEmbedded;
  EngineOptions engine;
  RedisOptions redis;
  ServerOptions server;
  ReplicationOptions replication;

  friend bool operator==(const StorageOptions&, const StorageOptions&) = default;
};

}  // namespace shingled
