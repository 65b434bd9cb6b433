// Covers storage/redis/route/redis_connection.cpp.
#include <gtest/gtest.h>

#include <string>

#include "storage/redis/route/redis_connection.h"

namespace shingled::storage::redis {
namespace {

using Kind = RedisReply::Kind;

RedisReply text(std::string what) { return {.kind = Kind::kText, .text = std::move(what)}; }
RedisReply array(std::vector<RedisReply> elements) {
  return {.kind = Kind::kArray, .elements = std::move(elements)};
}

struct Whole {
  const char* why;
  std::string bytes;
  RedisReply reply;
};

const std::vector<Whole>& whole_replies() {
  static const std::vector<Whole> kCases = {
      {"a status", "+OK\r\n", {.kind = Kind::kStatus, .text = "OK"}},
      {"an error", "-NOSCRIPT No\r\n", {.kind = Kind::kError, .text = "NOSCRIPT No"}},
      {"a negative number", ":-12\r\n", {.kind = Kind::kInteger, .integer = -12}},
      {"raw bytes", std::string("$4\r\na\r\n\0\r\n", 10), text(std::string("a\r\n\0", 4))},
      {"an empty text", "$0\r\n\r\n", text("")},
      {"a nil text", "$-1\r\n", {}},
      {"an empty array", "*0\r\n", array({})},
      {"a nil array", "*-1\r\n", {}},
      {"nil beside text", "*2\r\n$1\r\nx\r\n$-1\r\n", array({text("x"), {}})},
      {"arrays in arrays", "*2\r\n*1\r\n:1\r\n*0\r\n",
       array({array({{.kind = Kind::kInteger, .integer = 1}}), array({})})}};
  return kCases;
}

TEST(ReplyReader, ReadsReplies) {
  for (const Whole& c : whole_replies()) {
    ReplyReader reader;
    ASSERT_TRUE(reader.feed(as_bytes(c.bytes))) << c.why;
    const auto reply = reader.next();
    ASSERT_TRUE(reply && *reply) << c.why;
    EXPECT_EQ(**reply, c.reply) << c.why;
    EXPECT_FALSE(*reader.next()) << c.why;
  }
}

TEST(ReplyReader, AcceptsRepliesInAnyPortions) {
  std::string all;
  for (const Whole& c : whole_replies()) all += c.bytes;
  ReplyReader reader;
  std::size_t seen = 0;
  for (const char byte : all) {
    ASSERT_TRUE(reader.feed(as_bytes({&byte, 1})));
    auto reply = reader.next();
    ASSERT_TRUE(reply);
    if (*reply) {
      EXPECT_EQ(**reply, whole_replies()[seen++].reply);
    }
  }
  EXPECT_EQ(seen, whole_replies().size());
}

struct Broken {
  const char* why;
  std::string bytes;
  ErrorCode code;
};

TEST(ReplyReader, ReadsArraysUpToADepth) {
  std::string bytes = ":1\r\n";
  for (std::size_t depth = 0; depth <= kReplyDepthMax; ++depth) {
    ReplyReader reader;
    ASSERT_TRUE(reader.feed(as_bytes(bytes)));
    const auto reply = reader.next();
    EXPECT_TRUE(reply && *reply) << depth;
    bytes.insert(0, "*1\r\n");
  }
  ReplyReader reader;
  ASSERT_TRUE(reader.feed(as_bytes(bytes)));
  EXPECT_FALSE(reader.next()) << "one more";
}

TEST(ReplyReader, RefusesMalformedReplies) {
  std::string nested;
  for (int i = 0; i < 100; ++i) nested += "*1\r\n";
  std::string wide = "*100000\r\n";
  for (int i = 0; i < 4; ++i) wide += "*100000\r\n";
  const Broken cases[] = {{"another protocol", "HTTP/1.1 400 Bad Request\r\n", ErrorCode::kCorrupt},
                          {"a length that is not a number", "$x\r\n", ErrorCode::kCorrupt},
                          {"a text of -2 bytes", "$-2\r\n", ErrorCode::kCorrupt},
                          {"arrays without end", nested, ErrorCode::kLimit},
                          {"an array of 2^31 - 1", "*2147483647\r\n", ErrorCode::kLimit},
                          {"too many elements altogether", wide, ErrorCode::kLimit}};
  for (const Broken& c : cases) {
    ReplyReader reader;
    ASSERT_TRUE(reader.feed(as_bytes(c.bytes))) << c.why;
    const auto reply = reader.next();
    ASSERT_FALSE(reply) << c.why;
    EXPECT_EQ(reply.error().code, c.code) << c.why << ": " << reply.error().message;
    EXPECT_FALSE(reader.next()) << c.why << ": every later call fails";
  }
}

/// What a server may send after HELLO 3 alone. hiredis 0.14 refuses it, 1.x reads it.
TEST(ReplyReader, RepliesThatNobodyAskedForDoNoHarm) {
  constexpr const char* kReplies[] = {",1.5\r\n",
                                      ",inf\r\n",
                                      "#t\r\n",
                                      "_\r\n",
                                      "(123\r\n",
                                      "=7\r\ntxt:abc\r\n",
                                      "%1\r\n+a\r\n,1\r\n",
                                      "~2\r\n#t\r\n#f\r\n",
                                      ">1\r\n:1\r\n",
                                      "*2\r\n,1.5\r\n,x\r\n",
                                      "%2\r\n+a\r\n",
                                      "%9999999999\r\n"};
  for (const char* bytes : kReplies) {
    ReplyReader reader;
    ASSERT_TRUE(reader.feed(as_bytes(bytes))) << bytes;
    const auto reply = reader.next();
    if (reply && *reply) {
      EXPECT_NE((*reply)->kind, Kind::kError) << bytes;
    }
  }
}

TEST(ReplyReader, RefusesATextWithoutEnd) {
  ReplyReader reader;
  ASSERT_TRUE(reader.feed(as_bytes("$500000000\r\n")));
  const std::string portion(1 << 20, 'x');
  Status fed;
  for (std::size_t i = 0; fed && i <= kReplyUnreadMax / portion.size(); ++i) {
    fed = reader.feed(as_bytes(portion));
  }
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace shingled::storage::redis
