#pragma once

#include <string>
#include <vector>

#include "config/options/settings.h"

namespace shingled::milter::daemon {

/// A name in the settings that has no address.
struct LostName {
  std::string key;      ///< "rules.feed.servers"
  std::string why;      ///< the reason, with the name
  bool is_own = false;  ///< the daemon listens there, so it cannot start without it
};

/// Looks up the names that the daemon listens on, and with `others` all servers in the settings,
/// too. Each name is looked up once, up to 16 at the same time. Addresses are not looked up.
/// Returns the names without an address, once for each key.
/// Cost: the time of the resolver of the system.
std::vector<LostName> find_lost_names(const Settings& settings, bool others);

}  // namespace shingled::milter::daemon
