#include "mime/message/header_words.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

struct Case {
  std::string_view why, raw, decoded;
};

TEST(Subject, DecodesWhatMailSends) {
  constexpr Case kCases[] = {
      {"plain", "Hello", "Hello"},
      {"Q with underscores", "=?utf-8?Q?a_b=C3=A9?=", "a b\xc3\xa9"},
      {"B", "=?utf-8?B?w6k=?=", "\xc3\xa9"},
      {"blanks between words vanish", "=?utf-8?q?a?= \r\n =?utf-8?q?b?=", "ab"},
      {"text between words stays", "=?utf-8?q?a?= x =?utf-8?q?b?=", "a x b"},
      {"a character cut between two words", "=?utf-8?q?=C3?= =?utf-8?q?=A9?=", "\xc3\xa9"},
      {"but not in ISO-2022-JP",
       "=?ISO-2022-JP?B?GyRCJCIbKEI=?= =?iso-2022-jp?B?GyRCJCIbKEI=?=", "\xe3\x81\x82\xe3\x81\x82"},
      {"another charset", "=?iso-8859-1?q?=E9?=", "\xc3\xa9"},
      {"bytes before a change of charset",
       "=?koi8-r?q?=F0?= =?windows-1251?q?=EC?=", "\xd1\x80\xd0\xbc"},
      {"an unknown charset is dropped", "a =?bogus?q?=E4x?= b", "a  b"},
      {"unless it is UTF-8", "=?bogus?q?=C3=A4x?=", "\xc3\xa4x"},
      {"what should be UTF-8", "=?utf-8?q?a=E4x?=", "a?x"},
      {"raw 8-bit that is UTF-8", "caf\xc3\xa9", "caf\xc3\xa9"},
      {"each invalid byte", "caf\xe9!", "caf\xef\xbf\xbd!"},
      {"folding", "a\r\n\tb", "a b"},
      {"trailing blanks stay, leading ones do not", "  a ", "a "},
      {"but behind a word they do not", "=?utf-8?q?a?= ", "a"},
      {"a word without its end", "=?utf-8?q?abc", "=?utf-8?q?abc"},
      {"control bytes", "a\x01\x09z", "a? z"},
  };
  for (const Case& c : kCases) EXPECT_EQ(decoded_subject(c.raw), c.decoded) << c.why;
}

}  // namespace
}  // namespace shingled::mime
