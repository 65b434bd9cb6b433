#include "milter/reports/message_shape.h"

#include <gmock/gmock.h>

namespace shingled::milter::reports {
namespace {

using ::testing::HasSubstr;

using namespace std::string_literals;

TEST(MessageShape, WhatIsMailIsTaughtAndWhatIsNotIsNot) {
  const struct {
    const char* why;
    std::string bytes;
    const char* problem;  // "" = a message
  } cases[] = {
      {"a message", "Subject: x\r\n\r\ntext\r\n", ""},
      {"a header alone", "Subject: x\r\n", ""},
      {"a field of one letter", "A: 1\r\n\r\none\r\n", ""},
      {"blanks before the colon are obsolete syntax", "Subject \t: x\r\n\r\ntext\r\n", ""},
      {"a field without a value", "Received:\r\n\r\ntext\r\n", ""},
      {"a quoted From_ line, left by a mail program", ">From a@b Sat Nov 21\r\nA: 1\r\n\r\nx\r\n",
       ""},
      {"a byte order mark", "\xef\xbb\xbfSubject: x\r\n\r\ntext\r\n", ""},
      {"8-bit and broken lines further on", "A: 1\r\n\xe9\xe8\r\nno field\r\n\r\ntext\r\n", ""},
      {"NUL bytes in the body, which mail has", "Subject: x\r\n\r\nte\0xt\r\n"s, ""},
      {"nothing at all has no hash anyway", "", ""},
      {"a picture", "\x89PNG\r\n\x1a\r\n\0\0\0\rIHDR"s, "header"},
      {"an archive", "PK\x03\x04\x14\0\x06\0text:"s, "header"},
      {"a program",
       "\x7f"
       "ELF\x02\x01\x01\0\0\0"s,
       "header"},
      {"a PDF", "%PDF-1.7\r\n1 0 obj\r\n", "header"},
      {"a compressed message", "\x1f\x8b\x08\0\0\0\0\0"s, "header"},
      {"UTF-16", "S\0u\0b\0j\0e\0c\0t\0:\0"s, "header"},
      {"plain text", "Dear friend, buy: now\r\n\r\nmore\r\n", "header"},
      {"a web page", "<html xmlns:x=\"y\">\r\n", "header"},
      {"JSON", "{\"a\":1}\r\n", "header"},
      {"a body without its header", "\r\nSubject: x\r\n", "header"},
      {"a colon first", ": x\r\n\r\ntext\r\n", "header"},
      {"a quoted From_ line and nothing else", ">From a@b", "header"},
      {"a binary file that begins like a field", "RIFF:\0\0\0\0WAVE"s, "NUL"},
  };
  for (const auto& c : cases) {
    const auto problem = why_no_message(c.bytes);
    EXPECT_EQ(problem.has_value(), *c.problem != '\0') << c.why << ": " << problem.value_or("");
    if (problem) {
      EXPECT_THAT(*problem, HasSubstr(c.problem)) << c.why;
    }
  }
}

}  // namespace
}  // namespace shingled::milter::reports
