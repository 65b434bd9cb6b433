#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "config/base/random.h"
#include "config/base/result.h"
#include "storage/crypto/packet_cipher.h"
#include "storage/crypto/session_keys.h"
#include "storage/replication/message.h"

namespace shingled::storage::replication {

/// What both sides show each other first: magic, version, lasting key, fresh key.
inline constexpr std::size_t kHelloBytes = 4 + 4 + 32 + 32;

/// One end of a connection on which messages travel sealed, each way under a key of this connection
/// alone (SessionKeys). Bytes in, messages out; messages in, bytes out.
///
/// A message is sealed under its number, so none can be left out, repeated or put elsewhere, and
/// what was recorded from one connection opens in no other. A wrong byte ends the channel. Who the
/// peer is is proved by the first message that opens.
/// Bounds: a hello and one message of incoming bytes.
/// Threads: one thread. No I/O, no clock.
class SecureChannel {
 public:
  /// The side that connects: knows whom it wants.
  static SecureChannel call(const Keypair& own, const crypto::PublicKey& peer, Random& random);
  /// The side that was connected to: knows who may.
  static SecureChannel answer(const Keypair& own, std::vector<crypto::PublicKey> callers,
                              Random& random);

  /// What the socket gave.
  /// Errors: kDenied (wrong key), kInvalid (no such protocol, a message too large or not opened);
  /// then the channel is dead. Takes no more than it needs for one message: `taken` says how much,
  /// the rest is to be given again after `next`.
  Result<std::size_t> take(BytesView bytes);
  /// The next message, if it is there as a whole.
  /// Errors: as `take`.
  Result<std::optional<Bytes>> next();
  /// Seals a message of at most kMessageBytesMax bytes; only when `is_open`.
  void send(BytesView message);

  /// Keys are agreed upon; the peer is not proved before its first message.
  [[nodiscard]] bool is_open() const { return keys_.has_value(); }
  /// The lasting key the peer shows.
  [[nodiscard]] const crypto::PublicKey& peer() const { return peer_; }
  /// What waits for the socket; the caller takes from its front.
  [[nodiscard]] Bytes& output() { return output_; }

 private:
  SecureChannel(bool calls, const Keypair& own, std::vector<crypto::PublicKey> peers,
                Random& random);
  Status read_hello();
  void say_hello();

  bool calls_;
  Keypair own_;
  Keypair fresh_;
  std::vector<crypto::PublicKey> peers_;  ///< who it may be
  crypto::PublicKey peer_{};
  std::optional<crypto::SessionKeys> keys_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  Bytes input_;
  Bytes output_;
};

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
