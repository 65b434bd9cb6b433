#include "storage/redis/route/redis_connection.h"

#include <hiredis/hiredis.h>
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

namespace {

/// How many more elements the current reply may have. Shared by the callbacks of one reader.
struct Budget {
  std::size_t elements = kReplyElementsMax;
};

RedisReply::Kind kind_of(int type) {
  switch (type) {
    case REDIS_REPLY_ERROR:
      return RedisReply::Kind::kError;
    case REDIS_REPLY_STATUS:
      return RedisReply::Kind::kStatus;
    default:
      return RedisReply::Kind::kText;
  }
}

/// The reply that a task fills: its element in the parent array, or a new root. An array has its
/// full size before its first element is filled, so pointers to the elements stay valid.
RedisReply* place_of(const redisReadTask* task) {
  if (task->parent == nullptr) return new RedisReply;  // owned by the reader until it is complete
  auto* parent = static_cast<RedisReply*>(task->parent->obj);
  return &parent->elements[static_cast<std::size_t>(task->idx)];
}

void* create_string(const redisReadTask* task, char* text, std::size_t length) {
  RedisReply* reply = place_of(task);
  reply->kind = kind_of(task->type);
  reply->text.assign(text, length);
  return reply;
}

/// hiredis 0.14 has a bound of its own, 1.x has none; each level is one of the stack when the reply
/// is destroyed.
bool is_too_deep(const redisReadTask* task) {
  std::size_t depth = 0;
  for (; task != nullptr && depth <= kReplyDepthMax; task = task->parent) ++depth;
  return depth > kReplyDepthMax;
}

/// `Count`: int in hiredis 0.14, std::size_t since 1.0.
template <typename Count>
void* create_array(const redisReadTask* task, Count count) {
  auto* budget = static_cast<Budget*>(task->privdata);
  if (std::cmp_less(count, 0) || std::cmp_greater(count, budget->elements) || is_too_deep(task))
    return nullptr;
  const auto wanted = static_cast<std::size_t>(count);
  budget->elements -= wanted;
  RedisReply* reply = place_of(task);
  reply->kind = RedisReply::Kind::kArray;
  reply->elements.resize(wanted);
  return reply;
}

void* create_integer(const redisReadTask* task, long long number) {
  RedisReply* reply = place_of(task);
  reply->kind = RedisReply::Kind::kInteger;
  reply->integer = number;
  return reply;
}

void* create_nil(const redisReadTask* task) { return place_of(task); }

void free_root(void* reply) { delete static_cast<RedisReply*>(reply); }

redisReplyObjectFunctions make_functions() {
  redisReplyObjectFunctions out{};
  out.createString = create_string;
  out.createArray = create_array;
  out.createInteger = create_integer;
  out.createNil = create_nil;
  out.freeObject = free_root;
#if HIREDIS_MAJOR >= 1
  // It also reads what a server may only send when asked for RESP3. Nobody asks; a server may all
  // the same, and where a function is missing hiredis would give a number for a pointer.
  out.createDouble = [](const redisReadTask* task, double /*value*/, char* text,
                        std::size_t length) { return create_string(task, text, length); };
  out.createBool = [](const redisReadTask* task, int value) { return create_integer(task, value); };
#endif
  return out;
}

/// hiredis keeps the pointer.
redisReplyObjectFunctions* functions() {
  static redisReplyObjectFunctions made = make_functions();
  return &made;
}

}  // namespace

struct ReplyReader::State {
  struct Free {
    void operator()(redisReader* raw) const { redisReaderFree(raw); }
  };
  Budget budget;
  std::unique_ptr<redisReader, Free> reader{redisReaderCreateWithFunctions(functions())};
  std::size_t unread = 0;  ///< bytes fed since the last complete reply
};

ReplyReader::ReplyReader() : state_(std::make_unique<State>()) {
  if (state_->reader) state_->reader->privdata = &state_->budget;
}

ReplyReader::~ReplyReader() = default;

Status ReplyReader::feed(BytesView bytes) {
  redisReader* reader = state_->reader.get();
  if (reader == nullptr) return Error{ErrorCode::kLimit, "no memory for a reply"};
  state_->unread += bytes.size();
  if (state_->unread > kReplyUnreadMax) return Error{ErrorCode::kLimit, "a reply is too long"};
  if (redisReaderFeed(reader, as_text(bytes).data(), bytes.size()) == REDIS_OK) return {};
  return Error{ErrorCode::kCorrupt, "not a reply of Redis"};
}

Result<std::optional<RedisReply>> ReplyReader::next() {
  redisReader* reader = state_->reader.get();
  if (reader == nullptr) return Error{ErrorCode::kLimit, "no memory for a reply"};
  void* root = nullptr;
  if (redisReaderGetReply(reader, &root) != REDIS_OK) {
    const bool too_large = reader->err == REDIS_ERR_OOM;
    return Error{too_large ? ErrorCode::kLimit : ErrorCode::kCorrupt,
                 too_large ? "a reply is too large" : "not a reply of Redis"};
  }
  if (root == nullptr) return std::optional<RedisReply>();
  const std::unique_ptr<RedisReply> whole(static_cast<RedisReply*>(root));
  state_->budget.elements = kReplyElementsMax;
  state_->unread = reader->len - reader->pos;
  return std::optional(std::move(*whole));
}

}  // namespace shingled::storage::redis
