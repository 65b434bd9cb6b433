#include "storage/replication/secure_channel.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "config/system/byte_transfer.h"
#include "config/system/connect_socket.h"
#include "config/system/os_error.h"
#include "storage/crypto/keypair.h"
#include "storage/replication/message.h"

namespace shingled::storage::replication {
namespace {

constexpr std::uint32_t kMagic = 0x70726873;  // "shrp"
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kFrameBytesMax = kLengthBytes + crypto::kSealBytes + kMessageBytesMax;

/// The nonce of a message is its number in its direction, so a nonce is used once with its key.
crypto::Nonce nonce_of(std::uint64_t number) {
  crypto::Nonce nonce{};
  ByteWriter(nonce).u64(number);
  return nonce;
}

}  // namespace

SecureChannel::SecureChannel(bool calls, const Keypair& own, std::vector<crypto::PublicKey> peers,
                             Random& random)
    : calls_(calls),
      own_(own),
      fresh_(crypto::generate_keypair(random)),
      peers_(std::move(peers)) {}

SecureChannel SecureChannel::call(const Keypair& own, const crypto::PublicKey& peer,
                                  Random& random) {
  SecureChannel channel(true, own, {peer}, random);
  channel.say_hello();
  return channel;
}

SecureChannel SecureChannel::answer(const Keypair& own, std::vector<crypto::PublicKey> callers,
                                    Random& random) {
  return {false, own, std::move(callers), random};
}

void SecureChannel::say_hello() {
  std::array<std::uint8_t, kHelloBytes> hello{};
  ByteWriter out(hello);
  out.u32(kMagic);
  out.u32(kVersion);
  out.bytes(own_.public_key);
  out.bytes(fresh_.public_key);
  output_.insert(output_.end(), hello.begin(), hello.end());
}

Result<std::size_t> SecureChannel::take(BytesView bytes) {
  // Take at most the bytes of the hello or of one frame.
  std::size_t want = kHelloBytes;
  if (keys_) {
    want = kLengthBytes;
    if (input_.size() >= kLengthBytes) want += ByteReader(input_).u32();
    if (want > kFrameBytesMax) return Error{ErrorCode::kInvalid, "a message that is too large"};
  }
  const std::size_t taken = std::min(bytes.size(), want - std::min(want, input_.size()));
  input_.insert(input_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
  if (!keys_ && input_.size() == kHelloBytes) {
    if (Status read = read_hello(); !read) return read.error();
  }
  return taken;
}

Status SecureChannel::read_hello() {
  ByteReader in(input_);
  if (in.u32() != kMagic || in.u32() != kVersion) {
    return Error{ErrorCode::kInvalid, "not the replication protocol, or another version of it"};
  }
  peer_ = in.array<32>();
  const crypto::PublicKey fresh = in.array<32>();
  input_.clear();
  if (std::ranges::find(peers_, peer_) == peers_.end()) {
    return Error{ErrorCode::kDenied, "unknown key"};
  }
  const crypto::SessionSide side{own_, fresh_, peer_, fresh};
  keys_ = calls_ ? crypto::caller_session_keys(side) : crypto::called_session_keys(side);
  if (!keys_) return Error{ErrorCode::kDenied, "a key of low order"};
  if (!calls_) say_hello();
  return {};
}

Result<std::optional<Bytes>> SecureChannel::next() {
  if (!keys_ || input_.size() < kLengthBytes) return std::optional<Bytes>();
  const std::size_t length = ByteReader(input_).u32();
  if (length < crypto::kSealBytes || length + kLengthBytes > kFrameBytesMax) {
    return Error{ErrorCode::kInvalid, "a message with a length that is not valid"};
  }
  if (input_.size() < kLengthBytes + length) return std::optional<Bytes>();
  const BytesView sealed = BytesView(input_).subspan(kLengthBytes, length);
  if (!std::ranges::equal(sealed.first(std::tuple_size_v<crypto::Nonce>), nonce_of(received_))) {
    return Error{ErrorCode::kDenied, "a message out of order"};
  }
  Bytes message(length - crypto::kSealBytes);
  const crypto::SharedKey& key = calls_ ? keys_->from_called : keys_->from_caller;
  if (!crypto::open(key, sealed, message))
    return Error{ErrorCode::kDenied, "a message that cannot be opened"};
  ++received_;
  input_.clear();
  return std::optional(std::move(message));
}

void SecureChannel::send(BytesView message) {
  const std::size_t at = output_.size();
  output_.resize(at + kLengthBytes + crypto::kSealBytes + message.size());
  const std::span<std::uint8_t> frame = std::span(output_).subspan(at);
  ByteWriter(frame).u32(static_cast<std::uint32_t>(crypto::kSealBytes + message.size()));
  const crypto::SharedKey& key = calls_ ? keys_->from_caller : keys_->from_called;
  crypto::seal(key, nonce_of(sent_++), message, frame.subspan(kLengthBytes));
}

namespace {

Error failure(std::string_view what, int code) {
  return os_error(ErrorCode::kUnavailable, code, what);
}

}  // namespace

Result<TcpStream> TcpStream::connect(const SocketAddress& address) {
  Connecting connecting = begin_connect(address, {.no_delay = true});
  if (!connecting.fd) return failure("socket", connecting.failure);
  if (connecting.has_failed()) return failure("connect", connecting.failure);
  return TcpStream(std::move(connecting.fd));
}

Status TcpStream::finish() {
  const int code = connect_failure(fd_.get());
  if (code != 0) return failure("connect", code);
  return {};
}

Result<std::size_t> TcpStream::read(std::span<std::uint8_t> into) {
  const auto got = receive_some(fd_.get(), into);
  if (!got) return got.error().in("recv");
  if (*got == 0) return Error{ErrorCode::kUnavailable, "closed by the other side"};
  return got->value_or(0);
}

Status TcpStream::write(Bytes& output) {
  BytesView rest = output;
  Status outcome;
  while (!rest.empty()) {
    const auto sent = send_some(fd_.get(), rest);
    if (!sent) outcome = sent.error().in("send");
    if (!sent || *sent == 0) break;
    rest = rest.subspan(*sent);
  }
  output.erase(output.begin(), output.end() - static_cast<std::ptrdiff_t>(rest.size()));
  return outcome;
}

}  // namespace shingled::storage::replication
