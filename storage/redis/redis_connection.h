#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "storage/redis/command_list.h"
#include "storage/redis/redis_reply.h"
#include "storage/redis/reply_reader.h"

namespace shingled::storage::redis {

/// What is said first on every connection.
struct RedisLogin {
  std::string username;
  std::string password;  ///< empty = no AUTH
  std::uint32_t db = 0;
};

/// One connection to one Redis server, over TCP or a unix socket.
///
/// Errors: kUnavailable (nobody there, the connection broke), kTimeout, kDenied (the login was
/// refused), kCorrupt, kLimit (see ReplyReader); none names the password. After an error the
/// connection is useless: what was sent may have been executed or not.
/// Threads: one thread at a time.
/// Cost: `open` of a host name may wait for DNS beyond the deadline; the rest keeps to it.
class RedisConnection {
 public:
  static Result<std::unique_ptr<RedisConnection>> open(const SocketSpec& server,
                                                       const RedisLogin& login, TimePoint deadline,
                                                       const Clock& clock);
  /// The same at the first of these addresses that takes it.
  static Result<std::unique_ptr<RedisConnection>> open_at(
      const std::vector<SocketAddress>& addresses, const RedisLogin& login, TimePoint deadline,
      const Clock& clock);
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;
  RedisConnection(RedisConnection&&) = delete;
  RedisConnection& operator=(RedisConnection&&) = delete;
  ~RedisConnection() = default;

  /// Sends all commands and gives their replies in the same order; replies may be errors.
  Result<std::vector<RedisReply>> ask(const CommandList& commands, TimePoint deadline);

 private:
  RedisConnection(UniqueFd fd, const Clock& clock) : fd_(std::move(fd)), clock_(clock) {}
  Status greet(const RedisLogin& login, TimePoint deadline);
  Status send_some(std::string_view& unsent);
  Status receive_some();

  UniqueFd fd_;
  const Clock& clock_;
  ReplyReader reader_;
};

}  // namespace shingled::storage::redis
