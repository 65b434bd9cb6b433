#include "storage/server/tcp_connection.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>

namespace shingled::storage::server {

namespace {

bool is_passing(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

Transfer receive(const TcpConnection& connection, std::span<std::uint8_t> into) {
  const auto count = recv(connection.fd.get(), into.data(), into.size(), 0);
  if (count > 0) return {Transfer::State::kOpen, static_cast<std::size_t>(count)};
  if (count == 0) return {Transfer::State::kEnd, 0};
  return {is_passing(errno) ? Transfer::State::kOpen : Transfer::State::kFailed, 0};
}

Transfer send(const TcpConnection& connection, BytesView bytes) {
  if (bytes.empty()) return {};
  const auto count = ::send(connection.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count >= 0) return {Transfer::State::kOpen, static_cast<std::size_t>(count)};
  return {is_passing(errno) ? Transfer::State::kOpen : Transfer::State::kFailed, 0};
}

bool has_arrived(const TcpConnection& connection) {
  int bytes = 0;
  return ioctl(connection.fd.get(), SIOCOUTQ, &bytes) != 0 || bytes == 0;
}

void cut_off(TcpConnection& connection) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(connection.fd.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  connection.fd.reset();
}

}  // namespace shingled::storage::server
