#include "mime/message/message_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {
namespace {

using testing::ElementsAre;

std::vector<std::string> paths(const Mail& mail) {
  std::vector<std::string> out;
  for (const MailPart& part : mail.parts) out.push_back(part.path);
  return out;
}

TEST(MessageScan, ReadsASinglePart) {
  const Mail mail = scan_message("Subject: x\nContent-Type: text/html; charset=a\n\nbody\n", {});
  ASSERT_THAT(paths(mail), ElementsAre("1"));
  EXPECT_EQ(mail.parts[0].type.subtype, "html");
  EXPECT_EQ(mail.parts[0].type.charset, "a");
  EXPECT_EQ(mail.parts[0].body, "body\n");
}

TEST(MessageScan, KeepsTheLineBreakBeforeADelimiter) {
  const Mail mail = scan_message(
      "Content-Type: multipart/mixed; boundary=X\r\n\r\npreamble\r\n--x\r\n\r\none\r\n--X\r\n"
      "Content-Type: text/plain\r\n\r\ntwo\r\n--x--\r\nepilogue\r\n",
      {});
  ASSERT_THAT(paths(mail), ElementsAre("", "1", "2"));
  EXPECT_EQ(mail.parts[1].body, "\r\none\r\n") << "no header: the empty line stays";
  EXPECT_EQ(mail.parts[2].body, "two\r\n");
}

TEST(MessageScan, WalksNestedMessages) {
  const Mail mail = scan_message(
      "Content-Type: multipart/mixed; boundary=x\n\n--x\n\na\n--x\nContent-Type: "
      "message/rfc822\n\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\nb\n--y--\n--x\n"
      "Content-Type: message/rfc822\nContent-Transfer-Encoding: "
      "base64\n\nU3ViamVjdDogYQoKYm9keQo=\n"
      "--x--\n",
      {});
  ASSERT_THAT(paths(mail), ElementsAre("", "1", "2", "2.TEXT", "2.1", "3", "3.1"));
  EXPECT_EQ(mail.parts[4].body, "\nb\n");
  EXPECT_EQ(mail.parts[4].parent, 3U);
  EXPECT_EQ(mail.parts[6].body, "body\n");
}

// The salvage of text behind the end, as each rspamd does it.
TEST(MessageScan, KeepsWhatIsLeftBehindAMultipart) {
  struct Leftover {
    std::string_view why, behind;
    Compat compat;
    std::string_view body;
  };
  constexpr Leftover kLeftovers[] = {
      {"up to the next delimiter", "--y\nleft\n--z--\nlost\n", Compat::kRspamd3, "left\n"},
      {"dashes are none in 3", "--y\nleft\n------\nmore\n", Compat::kRspamd3,
       "left\n------\nmore\n"},
      {"but in 4", "--y\nleft\n------\nmore\n", Compat::kRspamd4, "left\n"},
      {"the footer of a list", "-- \nfoot\n", Compat::kRspamd3, "foot\n"},
  };
  for (const Leftover& leftover : kLeftovers) {
    MimeOptions options;
    options.compat = leftover.compat;
    const std::string message = "Content-Type: multipart/mixed; boundary=x\n\n--x\n\na\n--x--\n" +
                                std::string(leftover.behind);
    const Mail mail = scan_message(message, options);
    ASSERT_EQ(mail.parts.size(), 3U) << leftover.why;
    EXPECT_EQ(mail.parts[2].body, leftover.body) << leftover.why;
  }
}

TEST(MessageScan, SkipsAnMboxLineAndBlankLines) {
  const Mail mail = scan_message("\n \nFrom me@example.com Mon Jan 1\nSubject: x\n\nbody", {});
  ASSERT_EQ(mail.parts.size(), 1U);
  ASSERT_EQ(mail.parts[0].headers.size(), 1U);
  EXPECT_EQ(mail.parts[0].headers[0].name, "Subject");
  EXPECT_EQ(mail.parts[0].body, "body");
}

TEST(MessageScan, BoundsDepthAndParts) {
  MimeOptions options;
  options.depth_max = 3;
  std::string message;
  for (int i = 0; i < 10; ++i) message += "Content-Type: message/rfc822\n\n";
  EXPECT_EQ(scan_message(message, options).parts.size(), 3U);
  EXPECT_THAT(scan_message(message, options).defects, ElementsAre("depth limit reached"));

  options = {};
  options.parts_max = 5;
  message = "Content-Type: multipart/mixed; boundary=x\n\n";
  for (int i = 0; i < 10; ++i) message += "--x\n\na\n";
  EXPECT_EQ(scan_message(message, options).parts.size(), 5U);
  EXPECT_THAT(scan_message(message, options).defects, testing::Contains("part limit reached"));
}

TEST(MessageScan, TakesAnythingForAMessage) {
  for (const std::string_view bytes :
       {"", "\n", "\r", "From ", "--", ":", "a", "a:b", "Content-Type:"}) {
    EXPECT_LE(scan_message(bytes, {}).parts.size(), 1U) << bytes;
  }
}

}  // namespace
}  // namespace shingled::mime
