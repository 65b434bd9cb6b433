#pragma once

#include <string>
#include <vector>

#include "config/options/settings.h"

namespace shingled::milter::daemon {

/// A name of the settings that has no address.
struct LostName {
  std::string key;      ///< "rules.feed.servers"
  std::string why;      ///< with the name
  bool is_own = false;  ///< where we listen, so that there is no start without it
};

/// Looks up where we listen, and with `others` all servers that the settings name, each name once,
/// some at the same time. Addresses need no look-up.
/// Cost: as long as the system's resolver takes.
std::vector<LostName> find_lost_names(const Settings& settings, bool others);

}  // namespace shingled::milter::daemon
