#include "storage/server/udp_socket.h"

#include <sys/uio.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace shingled::storage::server {

namespace {

bool is_wildcard(const SocketAddress& address) {
  const auto ip = address.ip();
  return ip && ip->bytes == std::array<std::uint8_t, 16>{};
}

std::vector<SocketOption> options_for(const SocketAddress& address, UdpSocket::Sharing sharing,
                                      std::uint64_t buffer_bytes) {
  constexpr int kBufferBytesMax = 1 << 30;
  const int buffer =
      buffer_bytes < kBufferBytesMax ? static_cast<int>(buffer_bytes) : kBufferBytesMax;
  std::vector<SocketOption> options;
  // Best effort: without a privilege, the kernel limits the buffers (rmem_max, wmem_max).
  for (const int name : {SO_RCVBUF, SO_RCVBUFFORCE, SO_SNDBUF, SO_SNDBUFFORCE}) {
    options.push_back({SOL_SOCKET, name, buffer, false});
  }
  for (const int name : {SO_RXQ_OVFL, SO_TIMESTAMPNS}) options.push_back({SOL_SOCKET, name});
  if (sharing == UdpSocket::Sharing::kAmongUs) options.push_back({SOL_SOCKET, SO_REUSEPORT});
  if (is_wildcard(address)) {
    options.push_back(address.family() == AF_INET6 ? SocketOption{IPPROTO_IPV6, IPV6_RECVPKTINFO}
                                                   : SocketOption{IPPROTO_IP, IP_PKTINFO});
  }
  return options;
}

/// Adds the control message that makes the kernel send from the address in `info`.
template <typename Info>
void set_source(ReplyRoute& route, int level, int type, const Info& info) {
  cmsghdr header{};
  header.cmsg_level = level;
  header.cmsg_type = type;
  header.cmsg_len = CMSG_LEN(sizeof info);
  std::memcpy(route.control.data(), &header, sizeof header);
  std::memcpy(route.control.data() + CMSG_LEN(0), &info, sizeof info);
  route.control_length = CMSG_SPACE(sizeof info);
}

}  // namespace

ReceiveBatch::ReceiveBatch() : headers_{} {
  for (std::size_t i = 0; i < kBatchPackets; ++i) {
    vectors_[i] = {packets_[i].data(), packets_[i].size()};
    msghdr& header = headers_[i].msg_hdr;
    header.msg_name = &peers_[i];
    header.msg_iov = &vectors_[i];
    header.msg_iovlen = 1;
    header.msg_control = controls_[i].bytes.data();
  }
}

BytesView ReceiveBatch::packet(std::size_t i) const {
  if ((headers_[i].msg_hdr.msg_flags & MSG_TRUNC) != 0) return {};
  return BytesView(packets_[i]).first(headers_[i].msg_len);
}

Peer ReceiveBatch::peer(std::size_t i) const {
  const auto* address = reinterpret_cast<const sockaddr*>(&peers_[i]);
  const auto ip = IpAddress::from(address, headers_[i].msg_hdr.msg_namelen);
  Peer peer;
  if (!ip) return peer;
  peer.ip = *ip;
  // The port is at the same offset in both families.
  peer.port = ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
  return peer;
}

ReplyRoute ReceiveBatch::route(std::size_t i) const {
  ReplyRoute route;
  auto header = headers_[i].msg_hdr;
  route.peer_length = header.msg_namelen;
  std::memcpy(&route.peer, &peers_[i], route.peer_length);
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
      in_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(c), sizeof info);
      info.ipi_ifindex = 0;  // the routing table decides, as for any other packet
      set_source(route, IPPROTO_IP, IP_PKTINFO, info);
    } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(c), sizeof info);
      if (!IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) info.ipi6_ifindex = 0;
      set_source(route, IPPROTO_IPV6, IPV6_PKTINFO, info);
    }
  }
  return route;
}

Duration ReceiveBatch::waited(std::size_t i) const {
  auto header = headers_[i].msg_hdr;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS) continue;
    timespec arrived{};
    std::memcpy(&arrived, CMSG_DATA(c), sizeof arrived);
    const Duration waited = std::chrono::seconds(read_at_.tv_sec - arrived.tv_sec) +
                            std::chrono::nanoseconds(read_at_.tv_nsec - arrived.tv_nsec);
    return std::max(waited, Duration::zero());
  }
  return Duration::zero();
}

SendBatch::SendBatch() : headers_{} {
  for (std::size_t i = 0; i < kBatchPackets; ++i) {
    msghdr& header = headers_[i].msg_hdr;
    header.msg_name = &routes_[i].peer;
    header.msg_iov = &vectors_[i];
    header.msg_iovlen = 1;
  }
}

void SendBatch::add(std::size_t bytes, const ReplyRoute& route) {
  routes_[size_] = route;
  vectors_[size_] = {packets_[size_].data(), bytes};
  msghdr& header = headers_[size_].msg_hdr;
  header.msg_namelen = route.peer_length;
  header.msg_control = route.control_length == 0 ? nullptr : routes_[size_].control.data();
  header.msg_controllen = route.control_length;
  ++size_;
}

Result<UdpSocket> UdpSocket::bind(const SocketAddress& address, Sharing sharing,
                                  std::uint64_t buffer_bytes) {
  auto socket = bind_socket(
      address, {.type = SOCK_DGRAM, .more = options_for(address, sharing, buffer_bytes)});
  if (!socket) return socket.error().in("udp " + address.to_string());
  return UdpSocket(*std::move(socket));
}

void UdpSocket::receive(ReceiveBatch& batch) {
  for (mmsghdr& header : batch.headers_) {
    header.msg_hdr.msg_namelen = sizeof(sockaddr_storage);
    header.msg_hdr.msg_controllen = ReceiveBatch::kControlBytes;
  }
  const int count = recvmmsg(fd(), batch.headers_.data(), kBatchPackets, MSG_DONTWAIT, nullptr);
  // An error here was caused by a peer (ICMP) or is temporary. A lasting one comes again.
  batch.size_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  clock_gettime(CLOCK_REALTIME, &batch.read_at_);
  if (batch.size_ != 0) note_drops(batch.headers_[batch.size_ - 1]);
}

void UdpSocket::note_drops(mmsghdr& last) {
  msghdr& header = last.msg_hdr;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_RXQ_OVFL) continue;
    std::uint32_t total = 0;
    std::memcpy(&total, CMSG_DATA(c), sizeof total);
    drops_ += total - std::exchange(drops_seen_, total);
  }
}

std::size_t UdpSocket::send(SendBatch& batch) {
  std::size_t sent = 0;
  std::size_t lost = 0;
  while (sent < batch.size_) {
    const int count = sendmmsg(fd(), batch.headers_.data() + sent,
                               static_cast<unsigned>(batch.size_ - sent), MSG_DONTWAIT);
    if (count > 0) {
      sent += static_cast<std::size_t>(count);
    } else {  // the first of the rest cannot be sent: skip it, the client asks again
      ++sent;
      ++lost;
    }
  }
  batch.clear();
  return lost;
}

}  // namespace shingled::storage::server
