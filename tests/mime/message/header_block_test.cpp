#include "mime/message/header_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace shingled::mime {
namespace {

struct HeaderCase {
  const char* why;
  std::string_view bytes;
  std::size_t bytes_max;
  std::string_view fields;  ///< name=value, each with a bar behind it
  std::size_t body_begin;
  bool ended;
  bool truncated;
};

constexpr HeaderCase kHeaders[] = {
    {"a field a line", "A: 1\r\nB: 2\r\n\r\nx", 100, "A=1|B=2|", 14, true, false},
    {"LF and CR alone are breaks, too", "A: 1\nB: 2\rC:3\n\rx", 100, "A=1|B=2|C=3|", 15, true,
     false},
    {"a blank continues", "A: 1\r\n 2\r\n\t3\nB:\n\nx", 100, "A=1\r\n 2\r\n\t3|B=|", 17, true,
     false},
    {"what has no name is no field", "A: 1\n: 2\n no\nB\n\n", 100, "A=1|", 16, true, false},
    {"no empty line", "A: 1\nB: 2", 100, "A=1|B=2|", 9, false, false},
    {"nor at the last break", "A: 1\n", 100, "A=1|", 5, false, false},
    {"nothing", "", 100, "", 0, false, false},
    {"cut in a field: the body is where it was", "A: 1\nB: 234\nC: 5\n\nx", 9, "A=1|B=2|", 18, true,
     true},
    {"cut in a break", "A: 1\r\nB: 2\r\n\r\nx", 5, "A=1|", 14, true, true},
    {"cut before a continuation", "A: 1\n 2\nB: 3\n\nx", 5, "A=1|", 14, true, true},
    {"cut between fields", "A: 1\nB: 2\n\nx", 5, "A=1|", 11, true, true},
    {"cut without an end", "A: 1\nB: 2\n", 8, "A=1|B=|", 10, false, true},
};

TEST(HeaderBlock, IsCutOffUpToTheEmptyLineAndWithinItsBound) {
  for (const HeaderCase& c : kHeaders) {
    MimeOptions options;
    options.header_bytes_max = c.bytes_max;
    const HeaderBlock block = split_header_block(c.bytes, options);
    std::string fields;
    for (const HeaderField& field : block.fields) {
      fields += std::string(field.name) + "=" + std::string(field.value) + "|";
    }
    EXPECT_EQ(fields, c.fields) << c.why;
    EXPECT_EQ(block.body_begin, c.body_begin) << c.why;
    EXPECT_EQ(block.ended, c.ended) << c.why;
    EXPECT_EQ(block.truncated, c.truncated) << c.why;
  }
}

TEST(HeaderBlock, UnfoldsBreaksAndTheBlanksBehindThem) {
  EXPECT_EQ(unfold("one\r\n  two\n\tthree\r four\r\n"), "one two three four");
  EXPECT_EQ(unfold("a line of more than eight bytes\n of text"),
            "a line of more than eight bytes of text");
  EXPECT_EQ(unfold(""), "");
}

TEST(LineBreaks, FindsEachBreakInTurn) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "a\r\n\nb\r"[(i * i + i / 5) % 6];
  // All texts end differently: with and without a break, in the middle of CRLF.
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const std::string_view part = std::string_view(text).substr(0, size);
    LineBreaks breaks(part);
    for (std::size_t at = 0; at <= size; at += 1 + at % 3) {
      EXPECT_EQ(breaks.next(at), std::min(part.find_first_of("\r\n", at), size)) << at;
    }
  }
}

}  // namespace
}  // namespace shingled::mime
