#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <string>

#include "config/base/result.h"
#include "config/options/daemon_options.h"
#include "config/options/settings.h"

namespace shingled::milter::process {

struct Identity {
  uid_t user = ::geteuid();
  gid_t group = ::getegid();
};

/// The user and group that the daemon is to run as: daemon.user and daemon.group, else the present
/// ones.
/// Errors: kNotFound (no such user or group).
Result<Identity> daemon_identity(const DaemonOptions& options);

/// The owner of the folder of storage.hashfile, if root asks for a daemon that a service manager
/// starts as this user; nullopt where daemon.user says who it is, or the folder is root's.
std::optional<Identity> owner_of_files(const Settings& settings);

/// The name of a user, or the number in decimal if there is none.
std::string user_name(uid_t user);

/// Calls `work` with the rights of another user and of that user's groups, then takes back those of
/// root.
/// Errors: kDenied (a change of rights failed). If it was the first one, `work` was not called.
/// Threads: the rights of all threads change meanwhile.
Status with_rights_of(const Identity& identity, const std::function<void()>& work);

/// Becomes daemon.user and daemon.group permanently. The order is: groups, group, user. It does
/// nothing if neither is set, or if the process already has both.
/// Errors: kNotFound (no such user or group), kDenied.
Status drop_privileges(const DaemonOptions& options);

}  // namespace shingled::milter::process
