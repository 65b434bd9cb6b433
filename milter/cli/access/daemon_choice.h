#pragma once

#include <string_view>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/api/client/daemon_client.h"
#include "milter/api/route.h"

namespace shingled::milter::cli {

/// The daemon that runs with these settings: its first address of http.listen, with loopback in
/// place of a wildcard.
/// Threads: stateless.
api::DaemonClient own_daemon(const Settings& settings, const Clock& clock);

/// Answers a call as the daemon would, with what this command has opened itself. A body with status
/// 200 goes to `take`.
/// Errors: as those of DaemonClient.
Status answer_here(const api::Router& router, const http::HttpCall& call,
                   const http::HttpTaker& take);

}  // namespace shingled::milter::cli
