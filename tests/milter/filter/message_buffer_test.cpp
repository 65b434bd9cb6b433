#include "milter/filter/message_buffer.h"

#include <gtest/gtest.h>

namespace shingled::milter {
namespace {

struct HeaderCase {
  const char* why;
  HeaderSpacing spacing;
  const char* name;
  const char* value;
  const char* expected;
};

constexpr HeaderCase kHeaders[] = {
    {"the space is part of the value", HeaderSpacing::kKept, "Subject", " hi", "Subject: hi\r\n"},
    {"no space", HeaderSpacing::kKept, "Subject", "hi", "Subject:hi\r\n"},
    {"two spaces and a tab", HeaderSpacing::kKept, "Subject", "  \thi", "Subject:  \thi\r\n"},
    {"an old MTA took the space away", HeaderSpacing::kStripped, "Subject", "hi",
     "Subject: hi\r\n"},
    {"empty", HeaderSpacing::kKept, "Subject", "", "Subject:\r\n"},
    {"folds come with a bare LF", HeaderSpacing::kKept, "To", " a,\n\tb,\n  c",
     "To: a,\r\n\tb,\r\n  c\r\n"},
    {"folds that kept their CR do not get another", HeaderSpacing::kKept, "To", " a,\r\n\tb",
     "To: a,\r\n\tb\r\n"},
    {"a fold right after the colon", HeaderSpacing::kKept, "To", "\n a", "To:\r\n a\r\n"},
};

TEST(MessageBuffer, WritesHeadersAsTheyCameIn) {
  for (const HeaderCase& c : kHeaders) {
    MessageBuffer buffer(1000, c.spacing);
    buffer.add_header(c.name, c.value);
    EXPECT_EQ(buffer.bytes(), c.expected) << c.why;
  }
}

TEST(MessageBuffer, PutsAMessageTogether) {
  MessageBuffer buffer(1000, HeaderSpacing::kKept);
  buffer.add_header("From", " a@example.org");
  buffer.add_header("Subject", " hi");
  buffer.end_headers();
  buffer.add_body("one\r\ntw");
  buffer.add_body("o\r\n");
  EXPECT_EQ(buffer.bytes(), "From: a@example.org\r\nSubject: hi\r\n\r\none\r\ntwo\r\n");
  EXPECT_FALSE(buffer.truncated());
}

TEST(MessageBuffer, KeepsWhatFits) {
  MessageBuffer buffer(10, HeaderSpacing::kKept);
  buffer.end_headers();
  buffer.add_body("12345678");
  EXPECT_FALSE(buffer.truncated()) << "exactly full";
  buffer.add_body("9");
  EXPECT_TRUE(buffer.truncated());
  buffer.add_body("0");
  EXPECT_EQ(buffer.bytes(), "\r\n12345678");
}

}  // namespace
}  // namespace shingled::milter
