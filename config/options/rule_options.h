#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "config/options/flag_map.h"
#include "config/options/hash_options.h"
#include "config/options/server_list.h"

namespace shingled {

/// Whether questions and encrypted updates go over TCP. UDP is the fallback, and is always used for
/// repeats and for unencrypted updates.
enum class TcpUse : std::uint8_t {
  kNo,    ///< UDP only, which every server has
  kYes,   ///< with every server that accepts connections
  kAuto,  ///< from `tcp_threshold` requests per second on
};

/// Part of a rule: the remote fuzzy service it asks, standard port 11335.
struct RemoteOptions {
  using Key = std::array<std::uint8_t, 32>;

  /// CHECK goes to one of them, WRITE and DEL to all; no servers = the embedded engine.
  ServerList servers;
  ServerList read_servers;   ///< for CHECK instead of `servers`; empty = the others
  ServerList write_servers;  ///< for WRITE and DEL instead of `servers`; empty = the others
  /// The servers' public key; none = no encryption.
  std::optional<Key> encryption_key;
  std::optional<Key> read_encryption_key;   ///< of read_servers; none = encryption_key
  std::optional<Key> write_encryption_key;  ///< of write_servers; none = encryption_key
  std::chrono::milliseconds timeout{1000};  ///< for an answer to one transmission, 10ms to 1m
  std::uint32_t retransmits = 1;            ///< byte-identical repeats after it, 0 to 10
  std::uint32_t errors_max =
      4;  ///< failures in a row before a server is left alone; not in the file
  /// Version byte of every request: 3, 4, 5 or 0x14; 0 = found out for each server.
  std::uint8_t protocol = 0;
  /// A failed server is left alone for this long, doubling each time. Not in the file.
  std::chrono::milliseconds revive_time{60'000};

  TcpUse tcp = TcpUse::kNo;
  double tcp_threshold = 1.0;  ///< with kAuto: requests per second; not in the file
  /// UDP is used for this long after a connection failed. Not in the file.
  std::chrono::milliseconds tcp_retry_delay{10'000};
  /// Names are looked up again after this time, 10s to 7d.
  std::chrono::seconds resolve_interval{300};

  [[nodiscard]] bool is_remote() const {
    return !servers.empty() || !read_servers.empty() || !write_servers.empty();
  }
  /// The servers that are asked; an empty list stands for the other one.
  [[nodiscard]] const ServerList& to_read() const {
    if (!read_servers.empty()) return read_servers;
    return servers.empty() ? write_servers : servers;
  }
  /// The servers that are taught.
  [[nodiscard]] const ServerList& to_write() const {
    if (!write_servers.empty()) return write_servers;
    return servers.empty() ? read_servers : servers;
  }
  [[nodiscard]] const std::optional<Key>& key_to_read() const {
    if (read_encryption_key) return read_encryption_key;
    return encryption_key ? encryption_key : write_encryption_key;
  }
  [[nodiscard]] const std::optional<Key>& key_to_write() const {
    if (write_encryption_key) return write_encryption_key;
    return encryption_key ? encryption_key : read_encryption_key;
  }
  friend bool operator==(const RemoteOptions&, const RemoteOptions&) = default;
};

/// One entry of section `rules`: how hashes are made, which servers are asked, what an answer
/// weighs.
struct RuleOptions {
  std::string name = "local";
  HashOptions hash{.robust = true};  ///< the defaults for the embedded engine; see `robust`
  RemoteOptions remote;
  FlagMap flags = FlagMap::standard();
  std::string symbol = "FUZZY_UNKNOWN";  ///< for a flag that is not in `flags`
  bool skip_unknown = true;              ///< ignore such a flag instead
  bool read_only = false;                ///< `add` and `del` never go to this rule
  double weight_threshold = 0.0;  ///< results of a smaller absolute score are dropped, 0 or more

  friend bool operator==(const RuleOptions&, const RuleOptions&) = default;
};

}  // namespace shingled
