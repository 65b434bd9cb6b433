#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/document/places.h"
#include "config/options/settings.h"

namespace shingled::milter::daemon {

/// Whether the names of other servers are looked up.
enum class OtherNames : std::uint8_t {
  kLookUp,  ///< each name without an address is a warning
  kLeave,   ///< the daemon does this itself, and starts without them
};

/// Finds settings that do not work on this machine: users and groups, list files and keys, folders,
/// names. `configtest` shows these problems, and the start refuses the errors among them. It checks
/// with the rights that the daemon will have, if it can take them. It does not bind sockets and
/// does not change databases, because a daemon may be running.
///
/// `places`: the positions of the keys in the file. `file`: this file, which a reload reads again,
/// as it does the files of policy.files; empty = none.
/// Errors: none; each problem has its key.
/// Threads: if root checks for daemon.user, the rights of all threads change for a moment.
/// Cost: reads the list files; names are looked up at the same time, in the time of the resolver of
/// the system.
std::vector<config::Problem> check_start(const Settings& settings, const config::Places& places,
                                         OtherNames names, const std::string& file = "");

/// Whose rights `check_start` takes with kLookUp: daemon.user, or, if root asks and that is not
/// set, the owner of the folder of storage.hashfile, because a service manager starts the daemon as
/// this user. Empty: those of the process.
std::string checked_as(const Settings& settings);

}  // namespace shingled::milter::daemon
