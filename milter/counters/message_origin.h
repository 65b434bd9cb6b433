#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/system/socket_address.h"
#include "milter/counters/envelope.h"
#include "mime/fingerprint/piece_shingle.h"
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

/// The time of a Date field or at the end of a Received field: "Mon, 13 Jul 2026 10:00:00 +0200
/// (CEST)", also in the obsolete forms (years of two digits, names of zones).
/// Errors:  nullopt for other text.
/// Threads: stateless.
/// Source:  RFC 5322 3.3 and 4.3.
std::optional<WallTime> parse_mail_date(std::string_view text);

/// The first Message-ID of a header that is not blank, without the blanks around it; empty if there
/// is none. `fields`: of the header.
/// Threads: stateless.
std::string_view message_id_of(std::span<const mime::HeaderField> fields);

/// The id of a message in the history: a keyed hash of its Message-ID without the blanks around it;
/// 0 for a blank one.
/// Threads: stateless.
std::uint64_t history_id(const CounterKeyBytes& site, std::string_view message_id);

}  // namespace shingled::milter::counters
