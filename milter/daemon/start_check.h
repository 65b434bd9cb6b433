#pragma once

#include <vector>

#include "config/document/places.h"
#include "config/options/settings.h"

namespace shingled::milter::daemon {

/// Whether the names of other servers are looked up.
enum class OtherNames : std::uint8_t {
  kLookUp,  ///< each that has no address is a warning
  kLeave,   ///< the daemon does it by itself, and starts without them
};

/// What of these settings does not work on this machine: users and groups, list files and keys,
/// folders of files, names. What `configtest` says and the start refuses is this, with the rights
/// that the daemon will have, as far as we may take them. Sockets are not bound and databases not
/// opened, because a daemon may be running.
///
/// `places`: where the keys stand.
/// Errors: none; each finding is a problem with its key.
/// Threads: the rights of all threads change for a moment where root checks for daemon.user.
/// Cost: reads the list files; names are looked up together, which may take as long as the system's
/// resolver does.
std::vector<config::Problem> check_start(const Settings& settings, const config::Places& places,
                                         OtherNames names);

}  // namespace shingled::milter::daemon
