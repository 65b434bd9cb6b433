#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "config/system/unique_fd.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

inline constexpr std::size_t kReplyElementsMax = 262'144;           ///< per reply, over all levels
inline constexpr std::size_t kReplyDepthMax = 7;                    ///< of arrays in arrays
inline constexpr std::size_t kReplyUnreadMax = 64UL * 1024 * 1024;  ///< bytes of one reply

/// Parses the replies of a Redis server (RESP2). The only code that uses hiredis.
///
/// Errors: kCorrupt for bytes that are not a valid reply, kLimit for a reply beyond the bounds
/// above; after either the stream is lost and every later call fails.
/// Threads: one thread.
class ReplyReader {
 public:
  ReplyReader();
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;
  ReplyReader(ReplyReader&&) = delete;
  ReplyReader& operator=(ReplyReader&&) = delete;

  /// Takes the next bytes of the stream, in any portions.
  Status feed(BytesView bytes);
  /// Returns the next reply; nullopt while it is not complete.
  Result<std::optional<RedisReply>> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The login and the database, which are sent first on every connection.
struct RedisLogin {
  std::string username;
  std::string password;  ///< empty = no AUTH
  std::uint32_t db = 0;
};

/// One connection to one Redis server, over TCP or a unix socket.
///
/// Errors: kUnavailable (nobody listens, the connection broke), kTimeout, kDenied (the login was
/// refused), kCorrupt, kLimit (see ReplyReader); no text contains the password. After an error the
/// connection cannot be used any more; the commands may have been executed or not.
/// Threads: one thread at a time.
/// Cost: `open` of a host name may wait for DNS beyond the deadline; all else ends by the deadline.
class RedisConnection {
 public:
  static Result<std::unique_ptr<RedisConnection>> open(const SocketSpec& server,
                                                       const RedisLogin& login, TimePoint deadline,
                                                       const Clock& clock);
  /// Opens a connection to the first of these addresses that accepts it.
  static Result<std::unique_ptr<RedisConnection>> open_at(
      const std::vector<SocketAddress>& addresses, const RedisLogin& login, TimePoint deadline,
      const Clock& clock);
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;
  RedisConnection(RedisConnection&&) = delete;
  RedisConnection& operator=(RedisConnection&&) = delete;
  ~RedisConnection() = default;

  /// Sends all commands and returns their replies in the same order; replies may be errors.
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
