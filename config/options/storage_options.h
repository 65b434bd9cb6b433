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

/// When an update counts as stored, in SQLite's terms (PROTOCOL.md 10.1).
enum class Durability : std::uint8_t {
  kCommit,  ///< WAL, synchronous=FULL: survives a crash of the machine. Default.
  kNormal,  ///< WAL, synchronous=NORMAL: survives kill -9; a power cut may take the last commits
  kSync,  ///< commits at least every `sync`, replies still wait for the commit: fewest disk writes
};

/// How long an update that came sealed is known, so that it counts once whoever sends it again.
struct RepeatOptions {
  std::chrono::seconds window = std::chrono::hours(24);  ///< 1m to 365d
  /// Of them at most, 1000 to 100000000; the oldest are forgotten first. Of memory up to 32 bytes
  /// each, of the disk 8 and a row a transaction.
  std::uint32_t most = 1'000'000;

  friend bool operator==(const RepeatOptions&, const RepeatOptions&) = default;
};

/// Section `storage`, first half: the embedded engine.
struct EngineOptions {
  std::string hashfile = "/var/lib/shingled/fuzzy.db";
  /// Without a WRITE for so long: gone; 1m to 36500d, 0 = never.
  std::chrono::seconds expire = std::chrono::hours(24 * 90);
  /// With durability sync: longest wait of an update for its commit, 1ms to 1h.
  std::chrono::milliseconds sync{0};
  Durability durability = Durability::kCommit;
  std::uint32_t group_commit_max = 4096;    ///< updates in one transaction, 1 to 1000000
  std::uint32_t update_queue_max = 65'536;  ///< updates waiting, 1 to 16000000; more are refused
  std::uint32_t slot_owners_max = 16;       ///< digests that may own one shingle slot, 1 to 1024
  /// Hashes stored at most, 1 to 66000000; further ones are refused, what is stored can still be
  /// taught, deleted and found. 0 = as many as three quarters of the memory hold.
  std::uint32_t hashes_max = 0;
  RepeatOptions repeats;          ///< those of ServerOptions
  std::uint32_t journal_max = 0;  ///< changes kept for mirrors (ReplicationOptions); 0 = none

  friend bool operator==(const EngineOptions&, const EngineOptions&) = default;
};

/// How often something may happen.
struct RateOptions {
  double rate = 0;   ///< a second, steadily; up to 1e6
  double burst = 0;  ///< at once; 1 to 1e9

  friend bool operator==(const RateOptions&, const RateOptions&) = default;
};

/// What clients may do that know one of the server's keys (PROTOCOL.md section 5.9). For
/// updates it counts only where `allow_update` is empty.
struct KeyRights {
  std::string name;  ///< for people
  bool may_read = true;
  bool may_write = false;
  bool may_delete = false;
  /// Lists whose hits it does not see, instead of the server's `forbidden_ids`.
  std::optional<std::vector<std::uint8_t>> forbidden_ids;
  std::optional<RateOptions> ratelimit;  ///< of its CHECKs
  std::optional<WallTime> expire;        ///< from then on it may do nothing

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
/// The defaults are those of a mail server much larger than most: 5 million messages a day are 60 a
/// second, in the busiest hour three times as many; each asks for two or three hashes, once more
/// where an answer is lost: some 500 a second, and ten seconds of them at once after a pause.
/// However many packets are forged in a victim's name, it gets no more replies than that. rspamd
/// limits nothing by default; where it does, it bans for an hour. Here nobody is banned unless that
/// is asked for: a source may be forged, and the one who is banned another.
struct RateLimitOptions {
  double rate = 500;                ///< requests a second, 0 to 1e6
  double burst = 5000;              ///< at once, 0 to 1e9
  std::uint32_t network_mask = 24;  ///< IPv4 bits of a source, 1 to 32; IPv6: four times, 64 to 128
  std::uint32_t max_buckets = 2000;    ///< sources remembered, 8 to 1000000
  std::chrono::seconds bucket_ttl{0};  ///< ban of who is over, 1s to 36500d; 0 = none
  bool encrypted = false;              ///< what is sealed with one of our keys counts, too
  /// Of datagrams sealed with a key we know, where `encrypted` does not count them: so many a
  /// second and at once, from 0 to 1e6 and 1e9; off while either is 0. A busy client was seen to
  /// ask 50 000 a second.
  RateOptions sealed{.rate = 60'000, .burst = 120'000};
  std::vector<Network> whitelist;  ///< never limited; nor are local and trusted ones
  bool log_only = false;           ///< say so and serve on

  [[nodiscard]] bool enabled() const { return rate > 0 && burst > 0; }
  friend bool operator==(const RateLimitOptions&, const RateLimitOptions&) = default;
};

/// How many keys may be agreed on with clients that are not known yet: each costs some 40 µs, and
/// anybody can make as many as he likes. A client needs one for each thread that meets it, as long
/// as its key is kept.
struct AgreementOptions {
  /// By each thread: 1000 a second take 4 % of its time.
  RateOptions thread{.rate = 1000, .burst = 1000};
  /// With one source: a hundred clients that start anew find eight threads at once.
  RateOptions source{.rate = 100, .burst = 1000};

  friend bool operator==(const AgreementOptions&, const AgreementOptions&) = default;
};

/// Files that hold a part of a list each, one entry a line, or of the keys. Read at the start and
/// whenever they change.
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
  /// May have 144-byte replies in the clear.
  std::vector<Network> trusted = {*Network::parse("127.0.0.0/8"), *Network::parse("::1")};
  /// IDs (BLAKE2b-512 of the public key) of server keys whose knowers may update; not looked at
  /// where `allow_update` or its files say anything.
  std::vector<std::array<std::uint8_t, 64>> allow_update_keys;
  std::vector<Network> blocked;                           ///< dropped before parsing
  std::vector<std::array<std::uint8_t, 64>> skip_hashes;  ///< digests neither stored nor shown
  std::vector<std::uint8_t> forbidden_ids;                ///< lists whose hits nobody sees
  std::vector<std::uint8_t> weak_ids;                     ///< lists whose WRITEs are weak
  /// A hash is not shown until it is so old, half as much more at most; 0 to 365d, 0 = at once.
  std::chrono::seconds delay{0};
  std::vector<Network> delay_whitelist;  ///< see it at once
  RateLimitOptions ratelimit;
  ListFiles files;
  std::vector<Keypair> keypair;          ///< the last one is the default key
  std::vector<Keypair> dynamic_keypair;  ///< from dynamic_keys_map; none is the default key
  /// Shared keys kept by each thread, of some 250 bytes; 0 to 1000000, 0 = none.
  std::uint32_t keypair_cache_size = 4096;
  AgreementOptions agreements;
  RepeatOptions repeats;
  bool encrypted_only = false;  ///< what is not encrypted is refused
  bool read_only = false;       ///< WRITE and DEL are refused to everybody
  std::uint32_t threads = 0;    ///< worker threads, 1 to 1024; 0 = one a processor
  /// A request that waited longer to be read is dropped, for its client has given it up; updates in
  /// the clear are not. 1ms to 1h, 0 = none is.
  std::chrono::milliseconds queue_wait_max{500};
  /// A TCP connection without a request for so long is closed; 100ms to 1h.
  std::chrono::milliseconds tcp_timeout{5000};
  std::uint32_t tcp_connections_max = 4096;  ///< open at once, 0 to 1000000; 0 = no TCP
  /// Of them by one source, which is an IPv4 address or an IPv6 /64; 1 to 1000000.
  std::uint32_t tcp_source_connections_max = 256;
  /// Replies that clients do not fetch, all together, 64K to 1G; beyond it the slow are cut off.
  std::uint64_t tcp_unsent_bytes_max = 16UL * 1024 * 1024;
  std::uint64_t socket_buffer_bytes = 4UL * 1024 * 1024;  ///< of the kernel, UDP, each, 4K to 1G

  friend bool operator==(const ServerOptions&, const ServerOptions&) = default;
};

/// A store that is to have what we have: one host of an entry of `mirror`.
struct MirrorOptions {
  std::string name;  ///< for the log
  SocketSpec address;
  std::array<std::uint8_t, 32> key{};  ///< its public key

  friend bool operator==(const MirrorOptions&, const MirrorOptions&) = default;
};

/// Section `storage`, third part: who copies us and whom we copy.
struct ReplicationOptions {
  std::vector<Network> masters;  ///< may push to us; none = we listen to nobody
  std::vector<std::array<std::uint8_t, 32>> master_key;  ///< their public keys
  /// A connection on which nothing came for so long is given up, 1s to 1h.
  std::chrono::seconds master_timeout{10};
  std::vector<SocketSpec> listen = {{SocketSpec::Kind::kInet, "", 11336, ""}};  ///< for masters
  std::vector<Keypair> sync_keypair;      ///< ours, on either side; at most one
  std::vector<MirrorOptions> mirrors;     ///< we push to them
  std::uint32_t journal_max = 1'000'000;  ///< changes kept for mirrors, 1000 to 1000000000

  friend bool operator==(const ReplicationOptions&, const ReplicationOptions&) = default;
};

/// What holds the hashes.
enum class Backend : std::uint8_t {
  kEmbedded,  ///< the engine in this process, over `hashfile`
  kRedis,     ///< a Redis database, shared with other daemons and with rspamd
  kNoop,      ///< nothing: every CHECK a miss, updates are thrown away
};

/// The storage section: what holds the hashes, the service in front of it, its copies.
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
