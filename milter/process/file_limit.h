#pragma once

#include <cstdint>

#include "config/options/settings.h"

namespace shingled::milter::process {

/// How many descriptors this process may have, and who gets them.
///
/// Whoever can connect to the fuzzy port over TCP could take them all, and neither mail nor status
/// page nor file would get one any more. So the rest has a reserve, and TCP what is left.
struct FileBudget {
  static constexpr std::uint64_t kForMail = 256;   ///< connections of the mail server
  static constexpr std::uint64_t kForFiles = 192;  ///< databases, log, lists, Redis, other servers
  static constexpr std::uint32_t kTcpMin = 16;     ///< however few there are

  std::uint64_t limit = 0;    ///< as raised
  std::uint64_t reserve = 0;  ///< for everything but TCP of the fuzzy port

  /// Of these settings. `limit` is not known yet.
  static FileBudget of(const Settings& settings);
  /// What TCP may have of the `wanted` connections; 0 stays 0.
  [[nodiscard]] std::uint32_t connections(std::uint32_t wanted) const;
};

/// Raises the soft limit of descriptors to `wanted`, as far as the hard one lets it. Never lowers
/// it. Returns what it is then.
std::uint64_t raise_file_limit(std::uint64_t wanted);

}  // namespace shingled::milter::process
