#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "config/base/byte_reader.h"
#include "storage/protocol/command.h"
#include "storage/protocol/extensions.h"
#include "storage/protocol/reply.h"

namespace shingled::storage::protocol {

// Bytes <-> values, in the clear. What is not exactly one command or one reply is nothing.
// Threads: stateless.
// Cost: no allocation.
// Source: storage/PROTOCOL.md.

/// The command in a datagram. Nothing for another version, a length the version does not allow or
/// malformed extensions. `extensions` of the result points into `packet`.
std::optional<Command> decode_command(BytesView packet);

/// Writes a command and returns its length; 0 if it does not fit.
std::size_t encode_command(const Command& command, std::span<std::uint8_t> out);

/// What a request of this version byte is answered with.
ReplyForm reply_form(std::uint8_t version);

/// The reply in a datagram, its form told by its length. Extra flags beyond their count are
/// ignored: some servers leave old data there.
std::optional<Reply> decode_reply(BytesView packet);

/// Writes a reply of `form` and returns its length; 0 if it does not fit. Unused bytes are zero.
std::size_t encode_reply(const Reply& reply, ReplyForm form, std::span<std::uint8_t> out);

}  // namespace shingled::storage::protocol
