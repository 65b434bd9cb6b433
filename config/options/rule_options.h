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

/// Whether questions and encrypted lessons go over TCP. UDP is what they fall back to, where
/// repeats go, and lessons in the clear.
enum class TcpUse : std::uint8_t {
  kNo,    ///< UDP only, which every server knows
  kYes,   ///< wherever a server takes a connection
  kAuto,  ///< while there are many: from `tcp_threshold` on
};

/// Part of a rule: the remote fuzzy service it asks, standard port 11335.
struct RemoteOptions {
  using Key = std::array<std::uint8_t, 32>;

  /// CHECK goes to one of them, WRITE and DEL to all; no servers at all = the embedded engine.
  ServerList servers;
  ServerList read_servers;   ///< instead of `servers`, for CHECK; empty = as the others
  ServerList write_servers;  ///< instead of `servers`, for WRITE and DEL; empty = as the others
  /// The servers' public key; none = in the clear.
  std::optional<Key> encryption_key;
  std::optional<Key> read_encryption_key;   ///< of read_servers; none = encryption_key
  std::optional<Key> write_encryption_key;  ///< of write_servers; none = encryption_key
  std::chrono::milliseconds timeout{1000};  ///< for an answer to one transmission, 10ms to 1m
  std::uint32_t retransmits = 1;            ///< byte-identical repeats after it, 0 to 10
  std::uint32_t errors_max = 4;  ///< failures in a row before a server is left alone, 1 to 1000000
  /// Version byte of every request: 3, 4, 5 or 0x14; 0 = what each server is found to take.
  std::uint8_t protocol = 0;
  /// For so long the first time, twice as long each time more, 100ms to 1d.
  std::chrono::milliseconds revive_time{60'000};

  TcpUse tcp = TcpUse::kNo;
  double tcp_threshold = 1.0;  ///< with kAuto: requests a second, 0 or more
  /// After a connection has failed UDP is used for so long, 100ms to 1d.
  std::chrono::milliseconds tcp_retry_delay{10'000};
  /// After so long names are looked up again, 10s to 7d.
  std::chrono::seconds resolve_interval{300};

  [[nodiscard]] bool is_remote() const {
    return !servers.empty() || !read_servers.empty() || !write_servers.empty();
  }
  /// Who is asked: a list that is missing is the other one.
  [[nodiscard]] const ServerList& to_read() const {
    if (!read_servers.empty()) return read_servers;
    return servers.empty() ? write_servers : servers;
  }
  /// Who is taught.
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

/// One entry of section `rules`: how hashes are made, who is asked, what an answer weighs.
struct RuleOptions {
  std::string name = "local";
  HashOptions hash{.robust = true};  ///< as the embedded engine wants it; see `robust`
  RemoteOptions remote;
  FlagMap flags = FlagMap::standard();
  std::string symbol = "FUZZY_UNKNOWN";  ///< for a flag that `flags` does not name
  bool skip_unknown = true;              ///< leave such a flag out instead
  bool read_only = false;                ///< `add` and `del` never go to this rule
  double weight_threshold = 0.0;  ///< results of a smaller absolute score are dropped, 0 or more

  friend bool operator==(const RuleOptions&, const RuleOptions&) = default;
};

}  // namespace shingled
