#pragma once

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "storage/crypto/packet_cipher.h"
#include "storage/protocol/codec.h"
#include "tests/support/tcp_listener.h"
#include "tests/support/udp_peer.h"

namespace shingled::storage::client {

/// A fault of the network or of the server.
enum class Fault : std::uint8_t {
  kNone,
  // over UDP
  kLost,          ///< the first copy of each packet is lost
  kLate,          ///< the answer comes after the repeat
  kDoubled,       ///< every answer comes three times
  kWrongTag,      ///< an answer with another tag comes first
  kWrongAddress,  ///< an answer from another port comes first
  kGarbage,       ///< garbage of all lengths comes first
  kTinyBuffer,    ///< the receive buffer has room for a few packets only
  // over TCP; UDP works
  kRefused,        ///< nobody listens
  kMute,           ///< connected, but there are no answers
  kCloses,         ///< the server closes the connection at once
  kHalfCloses,     ///< the server closes its side after the first question
  kResets,         ///< the server resets the connection after the first question
  kEmptyFrame,     ///< a frame of no bytes
  kLongFrame,      ///< a frame longer than any reply
  kForgedFrame,    ///< an answer to no question, and then nothing
  kPieces,         ///< answers byte by byte
  kForgets,        ///< answers one question, and resets the connection at the next one
  kForgetsMutely,  ///< answers one question of a connection, and no more
  kBackwards,      ///< the last question is answered first, all in one write
};

/// A server on one port, UDP and TCP. It answers each CHECK with a hit whose value is the first
/// byte of the digest, as far as the fault allows. Wrong answers have the value 99.
/// Threads: one inside.
class FaultyServer {
 public:
  /// `questions`: how many questions kBackwards waits for before it answers.
  FaultyServer(Fault fault, std::size_t questions)
      : fault_(fault), questions_(questions), tcp_(udp_.address().port()) {
    if (fault == Fault::kRefused) tcp_.reset();
    const int least = 1;  // the system raises it to a size with room for two packets
    if (fault == Fault::kTinyBuffer)
      (void)setsockopt(udp_.fd(), SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  }

  [[nodiscard]] const SocketAddress& address() const { return udp_.address(); }
  /// Whether both ports were free.
  [[nodiscard]] bool ok() const { return !tcp_ || tcp_->ok(); }
  [[nodiscard]] int datagrams() const { return datagrams_; }
  [[nodiscard]] int connections() const { return accepted_; }
  /// The reply to a CHECK: a hit of that value.
  static Bytes answer_to(const protocol::Command& command, std::int32_t value);

 private:
  struct Connection {
    UniqueFd fd;
    protocol::FrameReader reader{};
    std::vector<Bytes> answers{};
    int questions = 0;
  };

  void serve(const std::stop_token& stop);
  void serve_datagram();
  bool serve_stream(Connection& connection);
  bool answer_frame(Connection& connection, const protocol::Command& command);

  Fault fault_;
  std::size_t questions_;
  testing::UdpPeer udp_;
  testing::UdpPeer stranger_;
  std::optional<testing::TcpListener> tcp_;
  std::vector<Connection> connections_;
  std::vector<Bytes> seen_;
  std::atomic<int> datagrams_{0};
  std::atomic<int> accepted_{0};
  std::jthread thread_;
};

inline Bytes FaultyServer::answer_to(const protocol::Command& command, std::int32_t value) {
  protocol::Reply reply;
  reply.tag = command.tag;
  reply.probability = 1;
  reply.value = value;
  reply.flag = 1;
  Bytes out(protocol::size_of(protocol::reply_form(command.version)));
  (void)protocol::encode_reply(reply, protocol::reply_form(command.version), out);
  return out;
}

inline void FaultyServer::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<pollfd> polls = {{udp_.fd(), POLLIN, 0}, {tcp_ ? tcp_->fd() : -1, POLLIN, 0}};
    for (const Connection& connection : connections_)
      polls.push_back({connection.fd.get(), POLLIN, 0});
    if (poll(polls.data(), polls.size(), 10) <= 0) continue;
    if (polls[0].revents != 0) serve_datagram();
    for (std::size_t i = connections_.size(); i > 0; --i) {
      if (polls[i + 1].revents != 0 && !serve_stream(connections_[i - 1]))
        connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
    if (polls[1].revents == 0) continue;
    UniqueFd fd = tcp_->accept();
    if (fd) ++accepted_;
    if (fd && fault_ != Fault::kCloses) connections_.push_back({std::move(fd)});
  }
}

inline void FaultyServer::serve_datagram() {
  const auto packet = udp_.receive();
  const auto command = packet ? protocol::decode_command(*packet) : std::nullopt;
  if (!command) return;
  ++datagrams_;
  const bool is_new = std::find(seen_.begin(), seen_.end(), *packet) == seen_.end();
  if (is_new) seen_.push_back(*packet);
  const std::int32_t value = command->digest.bytes[0];
  const Bytes right = answer_to(*command, value);
  const Bytes wrong = answer_to(*command, 99);
  protocol::Command other = *command;
  ++other.tag;
  switch (fault_) {
    case Fault::kLost:
      if (is_new) return;
      break;
    case Fault::kLate:
      if (is_new) return;
      udp_.send(right, udp_.from());  // the answer to the first packet
      break;
    case Fault::kDoubled:
      udp_.send(right, udp_.from());
      udp_.send(right, udp_.from());
      break;
    case Fault::kWrongTag:
      udp_.send(answer_to(other, 99), udp_.from());
      break;
    case Fault::kWrongAddress:
      stranger_.send(wrong, udp_.from());
      break;
    case Fault::kGarbage:
      for (const std::size_t length : {0U, 1U, 15U, 17U, 95U, 97U, 143U, 145U, 1000U, 2000U})
        udp_.send(Bytes(length, 0x41), udp_.from());
      break;
    default:
      break;
  }
  udp_.send(right, udp_.from());
}

/// Returns false when the connection is over.
inline bool FaultyServer::serve_stream(Connection& connection) {
  Bytes bytes(4096);
  const auto got = recv(connection.fd.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  bytes.resize(static_cast<std::size_t>(got));
  connection.reader.feed(bytes);
  while (const auto frame = connection.reader.next()) {
    const auto command = protocol::decode_command(*frame);
    if (command && !answer_frame(connection, *command)) return false;
  }
  return true;
}

inline bool FaultyServer::answer_frame(Connection& connection, const protocol::Command& command) {
  const int fd = connection.fd.get();
  const bool first = connection.questions++ == 0;
  const auto send_all = [&](BytesView bytes) {
    (void)::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  };
  Bytes frame;
  (void)protocol::append_frame(answer_to(command, command.digest.bytes[0]), frame);
  protocol::Command other = command;
  ++other.tag;
  switch (fault_) {
    case Fault::kMute:
      return true;
    case Fault::kHalfCloses:
      (void)shutdown(fd, SHUT_WR);
      return true;
    case Fault::kForgetsMutely:
      if (first) send_all(frame);
      return true;
    case Fault::kForgets:
      if (first) {
        send_all(frame);
        return true;
      }
      [[fallthrough]];
    case Fault::kResets: {
      const linger at_once{1, 0};
      (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      return false;
    }
    case Fault::kEmptyFrame:
      send_all(Bytes{0, 0});
      return true;
    case Fault::kLongFrame:
      send_all(Bytes{145, 0});
      return true;
    case Fault::kForgedFrame: {
      Bytes forged;
      (void)protocol::append_frame(answer_to(other, 99), forged);
      send_all(forged);
      return true;
    }
    case Fault::kPieces:
      for (const std::uint8_t byte : frame) send_all({&byte, 1});
      return true;
    case Fault::kBackwards: {
      connection.answers.insert(connection.answers.begin(), frame);
      if (connection.answers.size() < questions_) return true;
      Bytes all;
      for (const Bytes& answer : connection.answers)
        all.insert(all.end(), answer.begin(), answer.end());
      connection.answers.clear();
      send_all(all);
      return true;
    }
    default:
      send_all(frame);
      return true;
  }
}

}  // namespace shingled::storage::client
