#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "milter/api/route.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// What another daemon said.
struct PeerAnswer {
  std::string host;            ///< its name, as the settings have it
  Result<std::string> answer;  ///< the body of a reply with status 200, whatever it is
};

/// The other daemons whose messages are found here (`history.peers`).
struct MessagePeers {
  std::string own_host;  ///< the name of this one
  /// Asks each of them for a target, all at once, within a deadline; empty without peers.
  std::function<std::vector<PeerAnswer>(const std::string& target)> ask = {};
};

/// The target that asks another daemon the same as this call, and nobody else.
/// Threads: stateless.
std::string peer_target(const Call& call, std::string_view path);

/// One page of messages of this daemon and of others, the newest first: {"messages", "next",
/// "missing": [{"host", "why"}]}, each message with "host". `own`: the page of this one; `most`:
/// messages in the result, and a few more if they have the same time as the last one; `cursor`:
/// that of the call.
///
/// It does not go further back than the shortest of the pages, so that nothing is left out. An
/// answer that is no page of messages counts as missing.
/// Threads: stateless.
Json merged_messages(Json own, const std::string& own_host, std::vector<PeerAnswer> answers,
                     std::size_t most, std::optional<std::int64_t> cursor);

/// What others know of a message that is not here.
struct ElsewhereFound {
  std::vector<Json> found;  ///< each with "host"
  std::string missing;      ///< "mx2:11340 (why), mx3:11340 (why)": who could not be asked
};
ElsewhereFound found_elsewhere(std::vector<PeerAnswer> answers);

}  // namespace shingled::milter::api
