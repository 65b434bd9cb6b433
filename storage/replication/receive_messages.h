#pragma once

#include <utility>

#include "storage/replication/message.h"
#include "storage/replication/secure_channel.h"

namespace shingled::storage::replication {

/// For a message the protocol has, but not now or not in this direction.
inline Error out_of_place() {
  return {ErrorCode::kInvalid, "a message that does not belong there"};
}

/// Gives each message that `bytes` complete to `handle`, which takes a Message and gives a Status.
/// Errors: those of the channel and of `handle`, kInvalid for not a valid message, or for bytes
/// the channel has no place for; then the connection ends.
template <typename Handle>
Status receive_messages(SecureChannel& channel, BytesView bytes, const Handle& handle) {
  while (true) {
    const auto taken = channel.take(bytes);
    if (!taken) return taken.error();
    bytes = bytes.subspan(*taken);
    const auto sealed = channel.next();
    if (!sealed) return sealed.error();
    if (*sealed) {
      auto message = decode_message(**sealed);
      if (!message) return Error{ErrorCode::kInvalid, "not a valid message"};
      if (Status handled = handle(*std::move(message)); !handled) return handled;
    } else if (bytes.empty()) {
      return {};
    } else if (*taken == 0) {
      return Error{ErrorCode::kInvalid, "more bytes than a message has"};
    }
  }
}

}  // namespace shingled::storage::replication
