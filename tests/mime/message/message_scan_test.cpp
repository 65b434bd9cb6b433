// Covers mime/message/scan_frame.cpp, mime/message/inner_entity.cpp, mime/model/mail.cpp: from
// bytes to parts.
#include "mime/message/message_scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> paths(const Mail& mail) {
  std::vector<std::string> out;
  for (const MailPart& part : mail.parts) out.push_back(part.path);
  return out;
}

TEST(MessageScan, ReadsASinglePart) {
  const Mail mail = scan_all("Subject: x\nContent-Type: text/html; charset=a\n\nbody\n");
  ASSERT_THAT(paths(mail), ElementsAre("1"));
  EXPECT_EQ(mail.parts[0].type.subtype, "html");
  EXPECT_EQ(mail.parts[0].type.charset, "a");
  EXPECT_EQ(mail.parts[0].body, "body\n");
}

TEST(MessageScan, KeepsTheLineBreakBeforeADelimiter) {
  const Mail mail = scan_all(
      "Content-Type: multipart/mixed; boundary=X\r\n\r\npreamble\r\n--x\r\n\r\none\r\n--X\r\n"
      "Content-Type: text/plain\r\n\r\ntwo\r\n--x--\r\nepilogue\r\n",
      {});
  ASSERT_THAT(paths(mail), ElementsAre("", "1", "2"));
  EXPECT_EQ(mail.parts[1].body, "\r\none\r\n") << "no header: the empty line stays";
  EXPECT_EQ(mail.parts[2].body, "two\r\n");
}

TEST(MessageScan, WalksNestedMessages) {
  const Mail mail = scan_all(
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

TEST(MessageScan, TakesPartsOfADigestAsMessages) {
  const Mail mail = scan_all(
      "Content-Type: multipart/digest; boundary=x\n\n--x\n\nSubject: a\nContent-Type: "
      "text/html\n\none\n--x\nContent-Description: no type\n\nSubject: b\n\ntwo\n"
      "--x\nContent-Type: text/plain\n\nthree\n--x\n\nno header\n--x--\n");
  ASSERT_THAT(paths(mail), ElementsAre("", "1", "1.1", "2", "3", "4"));
  EXPECT_TRUE(mail.parts[1].is_message());
  EXPECT_EQ(mail.parts[2].type.subtype, "html");
  EXPECT_EQ(mail.parts[2].body, "one\n");
  EXPECT_EQ(mail.parts[3].body, "Subject: b\n\ntwo\n") << "plain text, as rspamd hashes it";
  EXPECT_EQ(mail.parts[4].body, "three\n") << "a declared type counts";
  EXPECT_FALSE(mail.parts[5].is_message());
}

TEST(MessageScan, SaysWhatAMultipartWithoutItsBoundaryHides) {
  struct Hidden {
    std::string_view why, message;
    std::size_t parts;
    bool incomplete;
  };
  constexpr Hidden kHidden[] = {
      {"text alone", "Content-Type: multipart/mixed; boundary=x\n\njust text\n", 1, true},
      {"blanks alone", "Content-Type: multipart/mixed; boundary=x\n\n \r\n\n", 1, false},
      {"base64 of all",
       "Content-Type: multipart/mixed; boundary=x\nContent-Transfer-Encoding: "
       "base64\n\nLS14Cgp0ZXh0Ci0teC0tCg==\n",
       1, true},
      {"another boundary is found in the outermost",
       "Content-Type: multipart/mixed; boundary=x\n\n--y\n\ntext\n--y--\n", 2, false},
      {"a last one in another: what stands before is read once",
       "Content-Type: multipart/mixed; boundary=x\n\n--x\n\ntext\n--x\nContent-Type: "
       "multipart/mixed; boundary=z\n\nhidden\n--x--\n",
       3, true},
      {"so with delimiters of a third",
       "Content-Type: multipart/mixed; boundary=x\n\n--x\n\ntext\n--x\nContent-Type: "
       "multipart/mixed; boundary=z\n\n--y\n\nhidden\n--y--\n--x--\n",
       3, true},
      {"an empty one hides nothing",
       "Content-Type: multipart/mixed; boundary=x\n\n--x\n\ntext\n--x\nContent-Type: "
       "multipart/mixed; boundary=z\n\n--z\n--z--\n--x--\n",
       3, false},
      {"one that begins and does not end",
       "Content-Type: multipart/mixed; boundary=x\n\n--x\n\ntext\n--x\nContent-Type: "
       "multipart/mixed; boundary=z\n\n--z\n\nhidden\n--x\n\nmore\n--x--\n",
       4, true},
      {"the root of a forwarded message is read like any root",
       "Content-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=x\n\n--y\n\n"
       "text\n--y--\n",
       4, false},
  };
  for (const Hidden& c : kHidden) {
    const Mail mail = scan_all(c.message);
    EXPECT_EQ(mail.parts.size(), c.parts) << c.why;
    EXPECT_EQ(mail.incomplete, c.incomplete) << c.why;
  }
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
    const Mail mail = scan_all(message, options);
    ASSERT_EQ(mail.parts.size(), 3U) << leftover.why;
    EXPECT_EQ(mail.parts[2].body, leftover.body) << leftover.why;
  }
}

TEST(MessageScan, SkipsAnMboxLineAndBlankLines) {
  const Mail mail = scan_all("\n \nFrom me@example.com Mon Jan 1\nSubject: x\n\nbody");
  ASSERT_EQ(mail.parts.size(), 1U);
  EXPECT_EQ(mail.subject, "x");
  EXPECT_EQ(mail.parts[0].body, "body");
}

TEST(MessageScan, BoundsDepthAndParts) {
  MimeOptions options;
  options.depth_max = 3;
  std::string message;
  for (int i = 0; i < 10; ++i) message += "Content-Type: message/rfc822\n\n";
  EXPECT_EQ(scan_all(message, options).parts.size(), 3U);
  EXPECT_THAT(scan_all(message, options).defects, ElementsAre("depth limit reached"));

  options = {};
  options.parts_max = 5;
  message = "Content-Type: multipart/mixed; boundary=x\n\n";
  for (int i = 0; i < 10; ++i) message += "--x\n\na\n";
  EXPECT_EQ(scan_all(message, options).parts.size(), 5U);
  EXPECT_THAT(scan_all(message, options).defects, ::testing::Contains("part limit reached"));
}

std::string multipart(const std::string& parts) {
  return "Content-Type: multipart/mixed; boundary=x\n\n" + parts + "--x--\n";
}

TEST(MessageScan, DoesNotCountEmptyParts) {
  MimeOptions options;
  options.parts_max = 4;
  std::string parts;
  for (int i = 0; i < 20; ++i) parts += "--x\nContent-Type: text/plain\n\n";
  const std::string message = multipart(parts + "--x\n\nspam\n");
  const Mail mail = scan_all(message, options);
  ASSERT_EQ(mail.parts.size(), 2U);
  EXPECT_EQ(mail.parts[1].body, "\nspam\n");
  EXPECT_EQ(mail.parts[1].path, "21") << "they keep their numbers";
  EXPECT_EQ(mail.parts[1].number, 21U);
  EXPECT_FALSE(mail.incomplete);
}

TEST(MessageScan, DecodesNoMoreThanTheMessageHas) {
  // Each level is quoted-printable around the next: without a bound each is decoded again.
  std::string message = "Content-Type: text/plain\n\n" + std::string(20'000, 'a');
  for (int i = 0; i < 20; ++i) {
    message =
        "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n" + message;
  }
  const Mail mail = scan_all(message);
  std::size_t decoded = 0;
  for (const std::string& body : mail.decoded) decoded += body.size();
  EXPECT_LE(decoded, message.size());
  EXPECT_TRUE(mail.incomplete);
  EXPECT_THAT(mail.defects, ::testing::Contains("decoded size limit reached"));
}

TEST(MessageScan, EndsWhereItsWorkIsSpent) {
  const std::string message = multipart("--x\n\na\n--x\n\nb\n--x\n\nc\n");
  std::size_t parts_before = 0;
  for (const Steps steps : {0U, 2'000U, 20'000U, 200'000U}) {
    WorkMeter meter(steps);
    const Mail mail = scan_message(message, {}, meter);
    EXPECT_GE(mail.parts.size(), parts_before) << steps;
    EXPECT_EQ(mail.incomplete, meter.refused()) << steps;
    EXPECT_EQ(mail.incomplete, mail.parts.size() < 4) << steps;
    parts_before = mail.parts.size();
  }
  EXPECT_EQ(parts_before, 4U) << "the last was enough";
}

TEST(MessageScan, LooksAtAMillionDelimitersAndNoMore) {
  std::string lines = "Content-Type: multipart/mixed; boundary=x\n\n";
  for (int i = 0; i < 1'000'010; ++i) lines += "--a\n";
  const Mail mail = scan_all(lines + "--x\n\nspam\n--x--\n");
  EXPECT_TRUE(mail.incomplete) << "what is behind them is not known";
  EXPECT_THAT(mail.defects, ::testing::Contains("delimiter limit reached"));
}

TEST(MessageScan, KeepsNoMoreOfNamesThanTheMessageHas) {
  // A byte of a name in KOI8-R is two in UTF-8.
  std::string parts;
  for (int i = 0; i < 20; ++i) {
    parts += "--x\nContent-Type: a/b; name*=koi8-r''" + std::string(3000, '\xc1') + "\n\na\n";
  }
  const std::string message = multipart(parts);
  const Mail mail = scan_all(message);
  std::size_t bytes = 0;
  for (const MailPart& part : mail.parts) bytes += part.type.name.size();
  EXPECT_LE(bytes, message.size());
  EXPECT_GT(bytes, message.size() / 2);
  EXPECT_TRUE(mail.incomplete);
}

TEST(MessageScan, TakesAnythingForAMessage) {
  for (const std::string_view bytes :
       {"", "\n", "\r", "From ", "--", ":", "a", "a:b", "Content-Type:"}) {
    EXPECT_LE(scan_all(bytes).parts.size(), 1U) << bytes;
  }
}

}  // namespace
}  // namespace shingled::mime
