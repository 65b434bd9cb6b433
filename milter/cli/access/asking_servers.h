#pragma once

#include <memory>
#include <span>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/options/rule_options.h"
#include "storage/client/remote_store.h"

namespace shingled::milter::cli {

/// Requests asked together: enough for one transaction to carry many, few enough for its commit to
/// end within our patience.
inline constexpr std::size_t kRequestsAtOnce = 64;

/// The answers to any number of requests, kRequestsAtOnce at a time; fewer answers than requests
/// when a whole group had none, for then the others have no better chance.
std::vector<storage::client::RemoteAnswer> ask_in_groups(
    storage::client::RemoteStore& store, std::span<const storage::client::RemoteRequest> requests,
    const RemoteOptions& remote, const Clock& clock);

/// The servers that a rule teaches, each by itself: what one of them knows says nothing of another.
std::vector<RemoteOptions> each_taught(const RemoteOptions& remote);

/// Whether the servers are shingled and know a deletion from one list; the answer to STAT, or the
/// worst of them.
storage::client::RemoteAnswer ask_who(storage::client::RemoteStore& store,
                                      const RemoteOptions& remote, const Clock& clock);

}  // namespace shingled::milter::cli
