#include "milter/http/http_reply_reader.h"

#include <gtest/gtest.h>

namespace shingled::milter::http {
namespace {

struct Read {
  Status status;
  std::string body;
  HttpReply reply;
};

/// Reads a reply that comes in pieces of `step` bytes.
Read read(std::string_view bytes, std::size_t step) {
  Read out;
  HttpReplyReader reader([&](std::string_view piece) -> Status {
    out.body += piece;
    return {};
  });
  for (std::size_t at = 0; at < bytes.size() && out.status; at += step) {
    out.status = reader.add(bytes.substr(at, step));
  }
  if (out.status) out.status = reader.end();
  out.reply = reader.reply();
  return out;
}

TEST(HttpReplyReader, ReadsABodyHoweverItComes) {
  for (const char* bytes : {
           "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nContent-Type: text/x\r\n\r\nhello world",
           "HTTP/1.1 200 OK\r\ncontent-type: text/x\r\n\r\nhello world",
           "HTTP/1.1 200 OK\r\nContent-Type:text/x\r\nTransfer-Encoding: Chunked\r\n\r\n"
           "6\r\nhello \r\n5;x=y\r\nworld\r\n0\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Type:text/x\r\nTransfer-Encoding: chunked\r\n\r\n"
           "B\r\nhello world\r\n0\r\nTrailer: x\r\n\r\n",
       }) {
    for (const std::size_t step : {1U, 2U, 3U, 7U, 1000U}) {
      const Read got = read(bytes, step);
      ASSERT_TRUE(got.status.has_value()) << bytes << " by " << step;
      EXPECT_EQ(got.body, "hello world");
      EXPECT_EQ(got.reply.type, "text/x");
      EXPECT_EQ(got.reply.body, "");
    }
  }
}

TEST(HttpReplyReader, KeepsTheBodyOfAnError) {
  const Read got = read("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone", 5);
  ASSERT_TRUE(got.status.has_value());
  EXPECT_EQ(got.reply.status, 404U);
  EXPECT_EQ(got.reply.body, "none");
  EXPECT_EQ(got.body, "");
}

TEST(HttpReplyReader, NoticesEveryCut) {
  for (const std::string whole : {
           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
       }) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      EXPECT_FALSE(read(whole.substr(0, length), 4).status.has_value()) << length;
    }
  }
}

TEST(HttpReplyReader, RefusesWhatIsNotHttp) {
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& bytes :
       {std::string("SSH-2.0-x\r\n\r\n"), std::string("HTTP/1.1 OK\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"), std::string(100'000, 'x'),
        chunked + "zz\r\n", chunked + "\r\n", chunked + "1\r\nabc\r\n", chunked + "-1\r\n",
        chunked + "fffffffffffffffff\r\n", chunked + std::string(5000, '1')}) {
    EXPECT_FALSE(read(bytes, 1000).status.has_value()) << bytes.substr(0, 60);
  }
}

}  // namespace
}  // namespace shingled::milter::http
