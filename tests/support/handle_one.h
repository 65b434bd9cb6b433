#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <variant>

#include "storage/server/request_handler.h"

namespace shingled::testing {

/// Handles one packet as a worker does at `now` (Unix seconds), including the look-up of a CHECK.
inline storage::server::Handled handle_one(storage::server::RequestHandler& handler,
                                           const storage::FuzzyStore& store, BytesView packet,
                                           const storage::server::Peer& peer, std::uint32_t now,
                                           std::span<std::uint8_t> out) {
  const WallTime wall{std::chrono::seconds(now)};
  const storage::access::Moment moment{TimePoint(wall.time_since_epoch()), wall};
  storage::server::Handled handled = handler.handle(packet, peer, moment, out);
  const auto* check = std::get_if<storage::server::PendingCheck>(&handled);
  if (check == nullptr) return handled;
  const storage::Question question = check->question();
  std::optional<storage::Match> match;
  const bool reached = store.check_batch({&question, 1}, now, {&match, 1});
  if (!reached && !match) return handler.finish_unasked(*check, out);
  return handler.finish_check(*check, match, wall, out);
}

}  // namespace shingled::testing
