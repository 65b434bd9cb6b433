#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <span>
#include <utility>

#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/system/bound_socket.h"
#include "config/system/socket_address.h"
#include "storage/protocol/codec.h"
#include "storage/server/request_handler.h"

namespace shingled::storage::server {

inline constexpr std::size_t kBatchPackets = 64;  ///< per recvmmsg and sendmmsg

/// Where a reply goes: to the sender of the request, from the address that the request was sent to.
struct ReplyRoute {
  sockaddr_storage peer{};
  socklen_t peer_length = 0;
  std::array<std::uint8_t, CMSG_SPACE(sizeof(in6_pktinfo))> control{};
  std::size_t control_length = 0;  ///< 0: the kernel uses the address of the socket
};

/// Datagrams that are read with one call. A packet longer than any command is truncated and marked.
/// Threads: one thread.
class ReceiveBatch {
 public:
  ReceiveBatch();
  ReceiveBatch(const ReceiveBatch&) = delete;
  ReceiveBatch& operator=(const ReceiveBatch&) = delete;
  ReceiveBatch(ReceiveBatch&&) = delete;  // the kernel's structures point into it
  ReceiveBatch& operator=(ReceiveBatch&&) = delete;
  ~ReceiveBatch() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Empty for a truncated packet, so that it is not a valid command.
  [[nodiscard]] BytesView packet(std::size_t i) const;
  [[nodiscard]] Peer peer(std::size_t i) const;
  [[nodiscard]] ReplyRoute route(std::size_t i) const;
  /// How long the packet waited in the kernel's queue. 0 if the wall clock was set back meanwhile.
  [[nodiscard]] Duration waited(std::size_t i) const;

 private:
  friend class UdpSocket;
  static constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(std::uint32_t)) +
                                               CMSG_SPACE(sizeof(timespec)) +
                                               CMSG_SPACE(sizeof(in6_pktinfo));
  struct alignas(cmsghdr) Control {
    std::array<std::uint8_t, kControlBytes> bytes;
  };

  std::array<std::array<std::uint8_t, protocol::kCommandBytesMax>, kBatchPackets> packets_;
  std::array<sockaddr_storage, kBatchPackets> peers_;
  std::array<Control, kBatchPackets> controls_;
  std::array<iovec, kBatchPackets> vectors_;
  std::array<mmsghdr, kBatchPackets> headers_;
  std::size_t size_ = 0;
  timespec read_at_{};  // by the clock of the packet timestamps
};

/// Replies that are sent with one call.
/// Threads: one thread.
class SendBatch {
 public:
  SendBatch();
  SendBatch(const SendBatch&) = delete;
  SendBatch& operator=(const SendBatch&) = delete;
  SendBatch(SendBatch&&) = delete;
  SendBatch& operator=(SendBatch&&) = delete;
  ~SendBatch() = default;

  [[nodiscard]] bool full() const { return size_ == kBatchPackets; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Room for the next reply; `add` adds it to the batch.
  [[nodiscard]] std::span<std::uint8_t> room() { return packets_[size_]; }
  void add(std::size_t bytes, const ReplyRoute& route);
  void clear() { size_ = 0; }

 private:
  friend class UdpSocket;
  std::array<std::array<std::uint8_t, kSealedReplyBytesMax>, kBatchPackets> packets_;
  std::array<ReplyRoute, kBatchPackets> routes_;
  std::array<iovec, kBatchPackets> vectors_;
  std::array<mmsghdr, kBatchPackets> headers_;
  std::size_t size_ = 0;
};

/// A bound UDP socket that is read and written in batches and never waits.
///
/// IPv6 sockets accept IPv6 only. On a wildcard address, a reply is sent from the address that the
/// request was sent to.
/// Threads: one thread.
class UdpSocket {
 public:
  enum class Sharing : std::uint8_t {
    kAlone,    ///< fails if another socket has the port
    kAmongUs,  ///< SO_REUSEPORT: the kernel distributes the senders
  };
  /// Errors: kUnavailable (in use, not an address of this machine), kDenied; both with the address.
  static Result<UdpSocket> bind(const SocketAddress& address, Sharing sharing,
                                std::uint64_t buffer_bytes);

  /// With the port that the kernel chose.
  [[nodiscard]] const SocketAddress& address() const { return socket_.address; }
  [[nodiscard]] int fd() const { return socket_.fd.get(); }

  /// Reads the packets that are there, at most kBatchPackets.
  void receive(ReceiveBatch& batch);
  /// Number of packets that the kernel dropped since the last call because its buffer was full.
  std::uint32_t take_drops() { return std::exchange(drops_, 0); }
  /// Sends and clears the batch. Returns the number of replies that the kernel did not accept.
  std::size_t send(SendBatch& batch);

 private:
  explicit UdpSocket(BoundSocket socket) : socket_(std::move(socket)) {}
  void note_drops(mmsghdr& last);

  BoundSocket socket_;
  std::uint32_t drops_seen_ = 0;  // the kernel's count since the socket was made
  std::uint32_t drops_ = 0;
};

}  // namespace shingled::storage::server
