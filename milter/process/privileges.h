#pragma once

#include "config/base/result.h"
#include "config/options/daemon_options.h"

namespace shingled::milter {

/// Becomes daemon.user and daemon.group for good: groups, group, user, in that order. Nothing to do
/// when neither is set or we are they already.
/// Errors: kNotFound (no such user or group), kDenied (we may not).
Status drop_privileges(const DaemonOptions& options);

}  // namespace shingled::milter
