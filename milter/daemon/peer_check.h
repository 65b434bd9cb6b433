#pragma once

#include <string>
#include <vector>

#include "config/options/settings.h"

namespace shingled::milter::daemon {

/// What is wrong with another daemon that the settings name.
struct PeerFault {
  std::string key;          ///< "reports.home"
  std::string why;          ///< the reason, with the URL or the file
  bool is_mistake = false;  ///< of the settings; else of a file, which may be there later
};

/// Looks at the URLs and key files of reports.home and history.peers.
/// Does not: connect to them.
/// Errors: none.
std::vector<PeerFault> find_peer_faults(const Settings& settings);

}  // namespace shingled::milter::daemon
