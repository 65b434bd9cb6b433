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
      {"blanks that are encoded stay, too", "=?utf-8?q?_a?=", " a"},
      {"control bytes", "a\x01\x09z", "a? z"},
  };
  for (const Case& c : kCases) EXPECT_EQ(decoded_subject(c.raw), c.decoded) << c.why;
}

struct VersionCase {
  std::string_view why, raw, of_3, of_4;
};

// The column of 3.4 is what /usr/bin/rspamd 3.4 made of each.
TEST(Subject, DecodesOddWordsAsRspamdDoes) {
  constexpr VersionCase kCases[] = {
      {"an empty word is not decoded in 3.4", "a =?utf-8?B?\?= b", "a =?utf-8?B?\?= b", "a  b"},
      {"and takes what follows with it", "=?us-ascii?Q?\?= =?utf-8?B?QQ==?= =?utf-8?Q?b?=",
       "=?us-ascii?Q?\?= =?utf-8?B?QQ==?= b", "Ab"},
      {"or what precedes", "=?utf-8?Q?a?= =?utf-8?Q?\?= c", "=?utf-8?Q?\?= c", "a c"},
      {"so does a word without an end", "=?utf-8?Q?a?= =? b ?=", "=? b ?=", "a=? b ?="},
      {"a row of question marks", "=?utf-8?Q?a?\?= x", "a? x", "a? x"},
      {"over-padded base64", "=?utf-8?B?QUJD==?=", "ABC", ""},
      {"well padded base64", "=?utf-8?B?QUJDRA==?=", "ABCD", "ABCD"},
      {"base64 without padding", "=?utf-8?B?QUJDRA?=", "ABCD", "ABCD"},
      {"what is no digit is 0", "=?utf-8?Q?A=ZZB?=", "A?B", "A?B"},
      {"in either place", "=?utf-8?Q?A=4ZB=Z4?=", "A@B?", "A@B?"},
      {"an escape without its second digit", "=?utf-8?Q?A=4?=", "A", "A"},
      {"without any", "=?utf-8?Q?A=?=", "A?", "A?"},
      {"without any, behind another escape", "=?utf-8?Q?=41=?=", "A?", "A?"},
      {"and a letter", "=?utf-8?Q?=41B=?= c", " c", " c"},
      {"an escape of an escape", "=?utf-8?Q?A==41?=", "A?1", "A?1"},
      {"a raw 8-bit byte in a word", "=?iso-8859-1?Q?Fr\xfcsche?= b", "=?iso-8859-1?Q?Fr?sche?= b",
       "=?iso-8859-1?Q?Fr?sche?= b"},
      {"that is UTF-8", "=?utf-8?Q?\xc3\xbc?= b", "=?utf-8?Q?\xc3\xbc?= b",
       "=?utf-8?Q?\xc3\xbc?= b"},
      {"a name that no charset has", "=?utf.8?Q?ab?= b", "=?utf.8?Q?ab?= b", "=?utf.8?Q?ab?= b"},
      {"a language", "=?iso-8859-1*de-at?Q?=FC?= b", "\xc3\xbc b", "\xc3\xbc b"},
      {"an invalid language", "=?utf-8*1?Q?ab?= b", "=?utf-8*1?Q?ab?= b", "=?utf-8*1?Q?ab?= b"},
      {"an unknown encoding", "=?utf-8?X?ab?= b =?utf-8?Q?y?=", "=?utf-8?X?ab?= b y",
       "=?utf-8?X?ab?= b y"},
      {"an = in front", "==?utf-8?Q?ab?= b", "=ab b", "=ab b"},
      {"a word within a word", "=?utf-8?Q?ab= =?utf-8?Q?cd?=", "ab??utf-8?Q?cd", "ab??utf-8?Q?cd"},
      {"three charsets in a row", "=?iso-8859-1?Q?=FC?= =?utf-8?Q?=C3=BC?= =?iso-8859-1?Q?=FC?=",
       "\xc3\xbc\xc3\x83\xc2\xbc\xc3\xbc", "\xc3\xbc\xc3\x83\xc2\xbc\xc3\xbc"},
  };
  for (const VersionCase& c : kCases) {
    EXPECT_EQ(decoded_subject(c.raw, Compat::kRspamd3), c.of_3) << c.why;
    EXPECT_EQ(decoded_subject(c.raw, Compat::kRspamd4), c.of_4) << c.why;
  }
}

}  // namespace
}  // namespace shingled::mime
