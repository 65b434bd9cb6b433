#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/system/socket_address.h"
#include "milter/counters/envelope.h"
#include "mime/model/mail.h"

namespace shingled::milter::counters {

/// What the header of a delivered message tells of its delivery.
struct MessageOrigin {
  Envelope envelope;
  std::optional<WallTime> time;  ///< when our server received it, else when it was written
};

/// Reads the envelope from Return-Path, X-Original-To, Envelope-To or Delivered-To, and from the
/// Received fields; the time from the topmost Received, which our own server wrote, else from Date.
/// The client is that of the topmost Received with an address that is not in `local`.
/// Errors:  none; what is not there stays empty.
/// Threads: stateless.
/// Cost:    linear.
MessageOrigin origin_of(std::span<const mime::HeaderField> fields,
                        const std::vector<Network>& local);

/// Whether a field Received says that one of our own servers handed the message to the next:
/// without "from", by LMTP, or with a client in `local`. `value`: raw.
/// Threads: stateless.
bool is_own_hop(std::string_view value, const std::vector<Network>& local);

}  // namespace shingled::milter::counters
