#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "config/base/socket_address.h"
#include "config/options/flag_map.h"
#include "config/options/hash_options.h"

namespace shingled {

/// Part of a rule: the remote fuzzy service it asks over UDP, standard port 11335.
struct RemoteOptions {
  /// CHECK goes to one in turn, WRITE and DEL to all; empty = the embedded engine.
  std::vector<SocketSpec> servers;
  /// The servers' public key; none = in the clear.
  std::optional<std::array<std::uint8_t, 32>> encryption_key;
  std::chrono::milliseconds timeout{1000};  ///< for an answer to one transmission, 10ms to 1m
  std::uint32_t retransmits = 1;            ///< byte-identical repeats after it, 0 to 10
  std::uint32_t errors_max = 4;  ///< failures in a row before a server is left alone, 1 to 1000000
  std::chrono::milliseconds revive_time{60'000};  ///< for so long, 100ms to 1d

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
