#include "storage/server/tcp_connection.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "config/system/byte_transfer.h"

namespace shingled::storage::server {

Transfer receive(const TcpConnection& connection, std::span<std::uint8_t> into) {
  const auto count = receive_some(connection.fd.get(), into);
  if (!count) return {Transfer::State::kFailed, 0};
  if (*count == 0) return {Transfer::State::kEnd, 0};
  return {Transfer::State::kOpen, count->value_or(0)};
}

Transfer send(const TcpConnection& connection, BytesView bytes) {
  if (bytes.empty()) return {};
  const auto count = send_some(connection.fd.get(), bytes);
  if (!count) return {Transfer::State::kFailed, 0};
  return {Transfer::State::kOpen, *count};
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
