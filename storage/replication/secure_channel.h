#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "storage/crypto/keypair.h"
#include "storage/crypto/packet_cipher.h"
#include "storage/replication/message.h"

namespace shingled::storage::replication {

/// A TCP connection that never waits (non-blocking).
/// Errors: kUnavailable, with the system's reason.
/// Threads: one thread.
class TcpStream {
 public:
  explicit TcpStream(UniqueFd fd) : fd_(std::move(fd)) {}
  /// Begins to connect. Call `finish` when the socket is writable.
  static Result<TcpStream> connect(const SocketAddress& address);
  Status finish();

  /// Reads at most `into.size()` bytes. Returns 0 if there is nothing to read now. The end of the
  /// stream is an error.
  Result<std::size_t> read(std::span<std::uint8_t> into);
  /// Sends bytes from the front of `output` and removes the sent bytes.
  Status write(Bytes& output);
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
};

/// The first bytes of each side: magic, version, lasting key, fresh key.
inline constexpr std::size_t kHelloBytes = 4 + 4 + 32 + 32;

/// One end of a connection that carries sealed messages. Each direction has a key of its own, which
/// only this connection uses (SessionKeys). Bytes in, messages out; messages in, bytes out.
///
/// A message is sealed with its number, so an attacker cannot leave out, repeat or move a message,
/// and a recorded message cannot be opened in another connection. A wrong byte ends the channel.
/// The first message that can be opened proves the peer's key.
/// Bounds: a hello and one message of incoming bytes.
/// Threads: one thread. No I/O, no clock.
class SecureChannel {
 public:
  /// The side that connects. It knows the key of its peer.
  static SecureChannel call(const Keypair& own, const crypto::PublicKey& peer, Random& random);
  /// The side that accepts. It knows the keys that may connect.
  static SecureChannel answer(const Keypair& own, std::vector<crypto::PublicKey> callers,
                              Random& random);

  /// Takes bytes from the socket, at most those of one message, and returns their number. Give the
  /// rest again after `next`.
  /// Errors: kDenied (wrong key), kInvalid (another protocol, a message too large). The channel
  /// cannot be used after an error.
  Result<std::size_t> take(BytesView bytes);
  /// The next message; nullopt if it is not complete yet.
  /// Errors: kDenied (a message that cannot be opened), kInvalid (a wrong length). The channel cannot
  /// be used after an error.
  Result<std::optional<Bytes>> next();
  /// Seals a message of at most kMessageBytesMax bytes. Only if `is_open`.
  void send(BytesView message);

  /// Whether the session keys are agreed on. The peer's key is not proved before its first message.
  [[nodiscard]] bool is_open() const { return keys_.has_value(); }
  /// The lasting key that the peer sent.
  [[nodiscard]] const crypto::PublicKey& peer() const { return peer_; }
  /// The bytes that wait for the socket; the caller removes sent bytes from the front.
  [[nodiscard]] Bytes& output() { return output_; }

 private:
  SecureChannel(bool calls, const Keypair& own, std::vector<crypto::PublicKey> peers,
                Random& random);
  Status read_hello();
  void say_hello();

  bool calls_;
  Keypair own_;
  Keypair fresh_;
  std::vector<crypto::PublicKey> peers_;  ///< keys that the peer may have
  crypto::PublicKey peer_{};
  std::optional<crypto::SessionKeys> keys_;
  std::uint64_t sent_ = 0;
  std::uint64_t received_ = 0;
  Bytes input_;
  Bytes output_;
};

/// The error for a message that is not allowed in this state or in this direction.
inline Error out_of_place() { return {ErrorCode::kInvalid, "a message that is not expected here"}; }

/// Gives each complete message to `handle`, which takes a Message and returns a Status.
/// Errors: those of the channel and of `handle`; kInvalid for a message that is not valid, and for
/// more bytes than the channel takes. The connection must end after an error.
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
      return Error{ErrorCode::kInvalid, "more bytes than one message"};
    }
  }
}

}  // namespace shingled::storage::replication
