#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <functional>

#include "config/base/result.h"
#include "config/options/daemon_options.h"

namespace shingled::milter::process {

struct Identity {
  uid_t user = ::geteuid();
  gid_t group = ::getegid();
};

/// Who the daemon is to be: daemon.user and daemon.group, else who we are.
/// Errors: kNotFound (no such user or group).
Result<Identity> daemon_identity(const DaemonOptions& options);

/// Does `work` with the rights of somebody else, and takes root's again.
/// Errors: kDenied.
/// Threads: the rights of all threads change meanwhile.
Status with_rights_of(const Identity& identity, const std::function<void()>& work);

/// Becomes daemon.user and daemon.group for good: groups, group, user, in that order. Nothing to do
/// when neither is set or we are they already.
/// Errors: kNotFound (no such user or group), kDenied (we may not).
Status drop_privileges(const DaemonOptions& options);

}  // namespace shingled::milter::process
