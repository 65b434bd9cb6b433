#pragma once

#include <memory>
#include <optional>

#include "config/base/byte_reader.h"
#include "config/base/result.h"
#include "storage/redis/route/redis_reply.h"

namespace shingled::storage::redis {

inline constexpr std::size_t kReplyElementsMax = 262'144;           ///< per reply, over all levels
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

}  // namespace shingled::storage::redis
