#include "mime/message/field_word.h"

#include <gtest/gtest.h>

#include <string>

namespace shingled::mime {
namespace {

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
