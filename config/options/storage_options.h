#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/base/secret.h"
#include "config/base/socket_address.h"

namespace shingled {

/// When an update counts as stored, in SQLite's terms (product.md, "Promises").
enum class Durability : std::uint8_t {
  kCommit,  ///< WAL, synchronous=FULL: survives a crash of the machine. Default.
  kNormal,  ///< WAL, synchronous=NORMAL: survives kill -9; a power cut may take the last commits
  kSync,  ///< commits at least every `sync`, replies still wait for the commit: fewest disk writes
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

  friend bool operator==(const EngineOptions&, const EngineOptions&) = default;
};

/// A key pair of the server (fuzzy-protocol.md section 3.4).
struct Keypair {
  std::array<std::uint8_t, 32> public_key{};
  SecretKey secret_key;

  friend bool operator==(const Keypair& a, const Keypair& b) {
    return a.public_key == b.public_key;
  }
};

/// Section `storage`, second half: the fuzzy service on the standard port.
struct ServerOptions {
  std::vector<SocketSpec> listen = {{SocketSpec::Kind::kInet, "127.0.0.1", 11335, ""},
                                    {SocketSpec::Kind::kInet6, "::1", 11335, ""}};
  std::vector<Network> allow_update = {*Network::parse("127.0.0.0/8"), *Network::parse("::1")};
  /// May have 144-byte replies in the clear.
  std::vector<Network> trusted = {*Network::parse("127.0.0.0/8"), *Network::parse("::1")};
  std::vector<Network> blocked;            ///< dropped before parsing
  std::vector<Keypair> keypair;            ///< the last one is the default key
  std::uint32_t keypair_cache_size = 512;  ///< shared keys kept, 0 to 1000000; 0 = none
  bool encrypted_only = false;             ///< what is not encrypted is refused
  bool read_only = false;                  ///< WRITE and DEL are refused to everybody
  std::uint32_t threads = 0;               ///< worker threads, 1 to 1024; 0 = one a processor
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

}  // namespace shingled
