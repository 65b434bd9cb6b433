#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/options/similar_options.h"

namespace shingled {

/// Limits on containers of which only the files are named: they are opened for every message.
inline ContainerOptions counted_containers() {
  ContainerOptions options;
  options.depth_max = 2;
  options.entries_max = 100;
  options.unpacked_max = std::uint64_t{8} << 20;
  return options;
}

/// Section `counters`: which pieces of a message are counted. What exceeds a limit is not counted.
struct CounterOptions {
  /// Servers whose Authentication-Results are believed, by the name that they write. The first
  /// server of ours must remove such headers that came from outside (RFC 8601 section 5).
  std::vector<std::string> authserv_ids = {};

  std::uint32_t texts_max = 8;           ///< texts of a message that are searched, 1 to 1000
  std::uint32_t recipients_max = 50;     ///< 1 to 1000
  std::uint32_t links_max = 50;          ///< 1 to 1000; also of hosts, of domains, of paths
  std::uint32_t addresses_max = 20;      ///< mail addresses in texts, 1 to 1000
  std::uint32_t phones_max = 20;         ///< telephone numbers in texts, 1 to 1000
  std::uint32_t wallets_max = 20;        ///< 1 to 1000
  std::uint32_t attachments_max = 50;    ///< also images, files in containers, names, 1 to 1000
  std::uint32_t signatures_max = 8;      ///< domains of DKIM signatures, 1 to 100
  std::uint32_t pairs_max = 100;         ///< of each type of pairs, 1 to 10000
  std::uint32_t pieces_max = 500;        ///< of all types together, 1 to 10000
  std::uint32_t piece_bytes_max = 1024;  ///< of a piece; the rest is cut off, 16 to 64K
  ContainerOptions containers = counted_containers();

  friend bool operator==(const CounterOptions&, const CounterOptions&) = default;
};

}  // namespace shingled
