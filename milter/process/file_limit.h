#pragma once

#include <cstdint>

#include "config/options/settings.h"

namespace shingled::milter::process {

/// The number of descriptors that this process may have, and their distribution.
///
/// Clients of the fuzzy port could use up all descriptors with TCP connections, and there would be
/// none left for mail, status page and files. So these have a reserve, and TCP gets the rest.
struct FileBudget {
  static constexpr std::uint64_t kForMail = 256;   ///< connections of the mail server
  static constexpr std::uint64_t kForFiles = 192;  ///< databases, log, lists, Redis, other servers
  static constexpr std::uint32_t kTcpMin = 16;     ///< for TCP, even if there are not enough

  std::uint64_t limit = 0;    ///< of descriptors, after raise_file_limit
  std::uint64_t reserve = 0;  ///< for everything except TCP of the fuzzy port

  /// The budget for these settings. `limit` is 0: it is not known yet.
  static FileBudget of(const Settings& settings);
  /// The number of connections that TCP may have, at most `wanted`.
  [[nodiscard]] std::uint32_t connections(std::uint32_t wanted) const;
};

/// Raises the soft limit of descriptors to `wanted`, but not above the hard limit. It never lowers
/// it. Returns the resulting limit; 0 if it cannot be read.
std::uint64_t raise_file_limit(std::uint64_t wanted);

}  // namespace shingled::milter::process
