#include "storage/redis/route/reply_reader.h"

#include <hiredis/hiredis.h>

#include <utility>

namespace shingled::storage::redis {

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

/// `Count`: int in hiredis 0.14, std::size_t since 1.0.
template <typename Count>
void* create_array(const redisReadTask* task, Count count) {
  auto* budget = static_cast<Budget*>(task->privdata);
  if (std::cmp_less(count, 0) || std::cmp_greater(count, budget->elements)) return nullptr;
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
