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

TEST(FieldWord, IsTheOneWordWithoutWhatIsAroundIt) {
  const struct {
    const char* why;
    std::string value;
    const char* word;
  } cases[] = {
      {"a word", "abuse", "abuse"},
      {"in lower case", " Not-Spam ", "not-spam"},
      {"folded", "\r\n not-spam\r\n", "not-spam"},
      {"folded with LF and a tab", "\n\t not-spam", "not-spam"},
      {"a comment after it", "not-spam (the user said so)", "not-spam"},
      {"a comment without a blank", "auto-replied(vacation)", "auto-replied"},
      {"a comment before it", "(abuse) not-spam", "not-spam"},
      {"comments in comments", "(a (b) c) not-spam ((d))", "not-spam"},
      {"quoted pairs in a comment", "(a \\) b \\( c) not-spam", "not-spam"},
      {"a folded comment", "(a\r\n b)\r\n not-spam", "not-spam"},
      {"a quoted string", "\"Not-Spam\"", "not-spam"},
      {"a quoted pair in it", "\"not\\-spam\"", "not-spam"},
      {"a bracket in quotes is text", "\"a(b\"", "a(b"},
      {"parameters", "auto-replied; owner-email=\"a@b\"", "auto-replied"},
      {"parameters after a comment", "auto-replied (x) ;y", "auto-replied"},
      {"a path", "<>", "<>"},
      {"nothing", "", ""},
      {"blanks", " \r\n ", ""},
      {"only a comment", "(abuse)", ""},
      {"only parameters", ";abuse", ""},
      {"two words", "abuse not-spam", ""},
      {"two words around a comment", "not-(x)spam", ""},
      {"a quote after a word", "abuse\"x\"", ""},
      {"a comment without an end", "abuse (not", ""},
      {"a comment that ends in a backslash", "abuse (\\", ""},
      {"a quote without an end", "\"abuse", ""},
      {"a bracket too many", "abuse)", "abuse)"},
  };
  for (const auto& c : cases) EXPECT_EQ(field_word(c.value), c.word) << c.why;
}

TEST(FieldWord, IsBounded) {
  EXPECT_EQ(field_word(std::string(kFieldWordBytesMax, ' ') + "abuse"), "");
  EXPECT_EQ(field_word(std::string(100'000, '(')), "");
  EXPECT_EQ(field_word(std::string(100'000, 'a')).size(), kFieldWordBytesMax);
}

}  // namespace
}  // namespace shingled::mime
