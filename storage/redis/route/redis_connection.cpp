#include "storage/redis/route/redis_connection.h"

#include <poll.h>

#include <array>
#include <utility>

#include "config/system/byte_transfer.h"
#include "config/system/connect_socket.h"
#include "config/system/unix_address.h"

namespace shingled::storage::redis {

namespace {

constexpr std::size_t kReadBytes = 16UL * 1024;

}  // namespace

Result<std::unique_ptr<RedisConnection>> RedisConnection::open(const SocketSpec& server,
                                                               const RedisLogin& login,
                                                               TimePoint deadline,
                                                               const Clock& clock) {
  const auto addresses = addresses_of(server);
  if (!addresses) return Error{ErrorCode::kUnavailable, addresses.error().message};
  return open_at(*addresses, login, deadline, clock);
}

Result<std::unique_ptr<RedisConnection>> RedisConnection::open_at(
    const std::vector<SocketAddress>& addresses, const RedisLogin& login, TimePoint deadline,
    const Clock& clock) {
  auto fd = connect_within(addresses, {.no_delay = true, .keep_alive = true}, deadline, clock);
  if (!fd) return fd.error().in("connecting");
  std::unique_ptr<RedisConnection> connection(new RedisConnection(*std::move(fd), clock));
  if (Status greeted = connection->greet(login, deadline); !greeted) return greeted.error();
  return connection;
}

Status RedisConnection::greet(const RedisLogin& login, TimePoint deadline) {
  CommandList commands;
  if (!login.password.empty()) {
    if (login.username.empty()) {
      commands.add({"AUTH", login.password});
    } else {
      commands.add({"AUTH", login.username, login.password});
    }
  }
  if (login.db != 0) commands.add({"SELECT", std::to_string(login.db)});
  if (commands.empty()) return {};
  const auto replies = ask(commands, deadline);
  if (!replies) return replies.error();
  for (const RedisReply& reply : *replies) {
    if (reply.is_error()) return Error{ErrorCode::kDenied, reply.text};
  }
  return {};
}

Result<std::vector<RedisReply>> RedisConnection::ask(const CommandList& commands,
                                                     TimePoint deadline) {
  std::vector<RedisReply> replies;
  replies.reserve(commands.size());
  std::string_view unsent = commands.bytes();
  // Replies are read while commands are still being sent. Otherwise both sides could wait for each
  // other with full buffers.
  while (replies.size() < commands.size()) {
    const auto events = static_cast<short>(unsent.empty() ? POLLIN : POLLIN | POLLOUT);
    if (Status ready = wait_for(fd_.get(), events, deadline, clock_); !ready) return ready.error();
    if (Status sent = send_some(unsent); !sent) return sent.error();
    if (Status received = receive_some(); !received) return received.error();
    while (replies.size() < commands.size()) {
      auto reply = reader_.next();
      if (!reply) return reply.error();
      if (!*reply) break;
      replies.push_back(**std::move(reply));
    }
  }
  return replies;
}

Status RedisConnection::send_some(std::string_view& unsent) {
  if (unsent.empty()) return {};
  const auto sent = shingled::send_some(fd_.get(), as_bytes(unsent));
  if (!sent) return sent.error().in("sending");
  unsent.remove_prefix(*sent);
  return {};
}

Status RedisConnection::receive_some() {
  std::array<std::uint8_t, kReadBytes> bytes;  // NOLINT: filled by recv
  const auto count = shingled::receive_some(fd_.get(), bytes);
  if (!count) return count.error().in("receiving");
  if (*count == 0) return Error{ErrorCode::kUnavailable, "the server closed the connection"};
  return *count ? reader_.feed(BytesView(bytes).first(**count)) : Status();
}

}  // namespace shingled::storage::redis
