#pragma once

#include <string_view>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/api/client/daemon_client.h"
#include "milter/api/route.h"

namespace shingled::milter::desk {

/// Whether commands ask a daemon elsewhere: then nothing is opened here in its place.
inline bool asks_another_machine(const Settings& settings) {
  return !settings.client.server.empty();
}

/// The daemon of section `client`, else the one that runs with these settings: at a unix socket of
/// http.listen or its first address, with loopback in place of a wildcard.
/// Threads: stateless.
api::DaemonClient daemon_of(const Settings& settings, const Clock& clock);

/// Answers a call as the daemon would, with what this command has opened itself. A body with status
/// 200 goes to `take`.
/// Errors: as those of DaemonClient.
Status answer_here(const api::Router& router, const http::HttpCall& call,
                   const http::HttpTaker& take);

}  // namespace shingled::milter::desk
