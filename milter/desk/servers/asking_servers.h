#pragma once

#include <memory>
#include <span>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/options/rule_options.h"
#include "storage/client/remote_store.h"

namespace shingled::milter::desk {

/// Requests in one group: enough to share one transaction, few enough for its commit to end within
/// our patience.
inline constexpr std::size_t kRequestsAtOnce = 64;

/// Asks any number of requests, kRequestsAtOnce at a time. There are fewer answers than requests
/// when a whole group got none, because the next groups would fare no better.
std::vector<storage::client::RemoteAnswer> ask_in_groups(
    storage::client::RemoteStore& store, std::span<const storage::client::RemoteRequest> requests,
    const RemoteOptions& remote, const Clock& clock);

/// The servers that a rule teaches, one entry for each: they may know different hashes.
std::vector<RemoteOptions> each_taught(const RemoteOptions& remote);

/// Whether the servers are shingled and can delete from one list: the answer to STAT, or the worst
/// answer of several servers.
storage::client::RemoteAnswer ask_who(storage::client::RemoteStore& store,
                                      const RemoteOptions& remote, const Clock& clock);

}  // namespace shingled::milter::desk
