// Covers mime/charset/charset_guess.cpp: guesses, too.

#include "mime/charset/charset.h"

#include <gtest/gtest.h>
#include <unicode/ucnv.h>

#include <string>
#include <string_view>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

struct Case {
  std::string_view why, bytes, label, utf8;
  bool raw = false;
};

TEST(Charset, DecodesByLabelWithFallbacks) {
  constexpr Case kCases[] = {
      {"UTF-8", "\xc3\xa9", "UTF-8", "\xc3\xa9"},
      {"no label, UTF-8", "\xc3\xa9", "", "\xc3\xa9"},
      {"no label, not UTF-8: windows-1252", "\xe9\x80", "", "\xc3\xa9\xe2\x82\xac"},
      {"no label, East Asian",
       "\x82\xb1\x82\xea\x82\xcd\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7",
       "",
       "\xe3\x81\x93\xe3\x82\x8c\xe3\x81\xaf\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x81\xae\xe6"
       "\x96\x87\xe7\xab\xa0"
       "\xe3\x81\xa7\xe3\x81\x99"},
      {"labelled UTF-8, is not", "\xe9", "utf-8", "\xc3\xa9"},
      {"a known label is believed even for UTF-8", "\xc3\xa9", "iso-8859-1", "\xc3\x83\xc2\xa9"},
      {"an unknown label, UTF-8", "\xc3\xa9", "x-what", "\xc3\xa9"},
      {"quotes and blanks around", "\xe9", "\" ISO-8859-1. \"", "\xc3\xa9"},
      {"invalid input", "a\xff", "iso-2022-jp", "a\xef\xbf\xbd"},
      {"koi8-r", "\xc1", "koi8-r", "\xd0\xb0"},
      {"a name of the mail standards wins over one of Windows", "\xfe z", "ks_c_5601-1987",
       "\x1a z"},
      {"a name only ICU has is unknown", "\xe9", "ibm-1252_P100-2000", "\xc3\xa9"},
      {"browsers know it", "\xe9", "x-cp1251", "\xd0\xb9"},
      {"so is this, beyond GB 2312", "\xe9\x46", "x-gbk", "\xe9\x95\x95"},
      {"a short name of Shift_JIS", "\x87\x40", "x-sjis", "\xe2\x91\xa0"},
      {"Korean beyond KS X 1001", "\x8c\x63", "uhc", "\xeb\x98\xa0"},
      {"ICU means 7-bit bytes by it", "\xc4\xfa", "chinese", "\xe6\x82\xa8"},
      {"Thai", "\xa1", "iso-8859-11", "\xe0\xb8\x81"},
      {"rspamd knows it", "\xc4\xfa", "euc-cn", "\xe6\x82\xa8"},
      {"a name of ASCII only rspamd knows", "caf\xc3\xa9", "ascii7", "caf\xc3\xa9"},
      {"a synonym of ASCII", "caf\xc3\xa9", "646", "caf\xc3\xa9"},
      {"a charset without a table stays raw, even where it is UTF-8", "caf\xc3\xa9", "johab",
       "caf\xc3\xa9", true},
  };
  for (const Case& c : kCases) {
    std::string storage;
    const DecodedText text = decode_all(c.bytes, c.label, storage);
    EXPECT_EQ(text.utf8, c.utf8) << c.why;
    EXPECT_EQ(text.raw, c.raw) << c.why;
  }
}

TEST(Charset, BelievesTheMarkOfUtf16And32UnlessTheLabelSaysOtherwise) {
  using namespace std::string_view_literals;
  constexpr Case kCases[] = {
      {"UTF-16 LE, no label",
       "\xff\xfe"
       "a\0\xe9\0"sv,
       "", "a\xc3\xa9"},
      {"UTF-16 BE, UTF-8", "\xfe\xff\0a"sv, "utf-8", "a"},
      {"UTF-16 BE, ASCII", "\xfe\xff\0a"sv, "us-ascii", "a"},
      {"UTF-16 LE, an unknown label",
       "\xff\xfe"
       "a\0"sv,
       "x-what", "a"},
      {"UTF-32 LE",
       "\xff\xfe\0\0"
       "a\0\0\0"sv,
       "", "a"},
      {"UTF-32 BE", "\0\0\xfe\xff\0\0\0a"sv, "utf-8", "a"},
      {"half a character at the end",
       "\xff\xfe"
       "a\0b"sv,
       "", "a\xef\xbf\xbd"},
      {"half a pair",
       "\xff\xfe"
       "a\0\x3d\xd8"sv,
       "", "a\xef\xbf\xbd"},
      {"the mark alone", "\xff\xfe"sv, "", ""},
      {"another label is believed", "\xff\xfe"sv, "iso-8859-1", "\xc3\xbf\xc3\xbe"},
  };
  for (const Case& c : kCases) {
    std::string storage;
    EXPECT_EQ(decode_all(c.bytes, c.label, storage).utf8, c.utf8) << c.why;
  }
}

/// English of `size` bytes with `stray` at `offset`.
std::string english(std::size_t size, std::size_t offset, std::string_view stray) {
  std::string text;
  while (text.size() < size) text += "plain words ";
  text.resize(size);
  return text.replace(offset, stray.size(), stray);
}

TEST(Charset, GuessesByThreeStretchesOfALongText) {
  struct Stray {
    std::string_view why, label;
    std::size_t offset;
    std::string_view decoded;
    bool raw = false;
  };
  constexpr std::size_t kSize = 4800;
  constexpr Stray kStrays[] = {
      {"in the first stretch", "", 511, "\xc3\xb4"},
      {"in the second", "", kSize / 2, "\xc3\xb4"},
      {"in the last", "", kSize - 512, "\xc3\xb4"},
      {"between them: raw without a label", "", 512, "\xf4", true},
      {"or under an unknown one", "no-such", kSize - 513, "\xf4", true},
      {"of what should be ASCII: replaced", "us-ascii", 1000, "?"},
      {"of what should be UTF-8: replaced", "utf-8", kSize / 2 + 512, "?"},
      {"seen in what should be UTF-8", "utf-8", 10, "\xc3\xb4"},
  };
  for (const Stray& stray : kStrays) {
    std::string storage;
    const std::string body = english(kSize, stray.offset, "\xf4");
    const DecodedText text = decode_all(body, stray.label, storage);
    EXPECT_EQ(text.utf8.substr(stray.offset, stray.decoded.size()), stray.decoded) << stray.why;
    EXPECT_EQ(text.raw, stray.raw) << stray.why;
  }
}

TEST(Charset, TakesFaultyUtf8AsItIs) {
  struct Mixture {
    std::string_view why, order;
    bool utf8;
  };
  // G is a word in UTF-8, B one in ISO 8859-1.
  constexpr Mixture kMixtures[] = {
      {"one fault in seven", "GGGGGGB", true},
      {"two are too many", "GGGGGGBB", false},
      {"a good beginning excuses all that follows", "GGGGGGGGBBBBBBBBBBBB", true},
      {"a bad one is not forgiven", "BBBGGGGGGGGGGGGGGGGGG", false},
      {"two bad ones are", "BBGGGGGGGG", true},
      {"taking turns", "GGGBGGGBGGGBGGGB", false},
      {"too little to tell", "GGG B", false},
  };
  for (const Mixture& mixture : kMixtures) {
    std::string body;
    for (const char c : mixture.order) body += c == 'G' ? "pl f\xc3\xa4hrt " : "pl f\xfchrt ";
    std::string storage;
    const DecodedText text = decode_all(body, "utf-8", storage);
    EXPECT_EQ(text.utf8 == body, mixture.utf8) << mixture.why;
  }
}

TEST(Charset, GuessesAlphabets) {
  struct Sample {
    std::string_view charset, bytes;
  };
  constexpr Sample kSamples[] = {
      {"windows-1251",
       "\xc4\xf0\xe5\xe2\xed\xe8\xe9 \xc5\xe3\xe8\xef\xe5\xf2 \xed\xe0 "
       "\xe1\xe5\xf0\xe5\xe3\xf3 \xf0\xe5\xea\xe8"},
      {"koi8-r",
       "\xe4\xd2\xc5\xd7\xce\xc9\xca \xe5\xc7\xc9\xd0\xc5\xd4 \xce\xc1 "
       "\xc2\xc5\xd2\xc5\xc7\xd5 \xd2\xc5\xcb\xc9"},
      {"windows-1255", "\xf9\xec\xe5\xed \xf2\xe5\xec\xed \xe6\xe4 \xe8\xf7\xf1\xe8"},
      {"iso-8859-7",
       "\xc1\xf5\xf4\xfc \xe5\xdf\xed\xe1\xe9 \xdd\xed\xe1 "
       "\xe5\xeb\xeb\xe7\xed\xe9\xea\xfc \xea\xe5\xdf\xec\xe5\xed\xef"},
      {"tis-620",
       "\xc0\xd2\xc9\xd2 \xe4\xb7\xc2 \xca\xc7\xd1\xca\xb4\xd5\xa4\xc3\xd1\xba \xb9\xd5\xe8 "
       "\xa4\xd7\xcd \xa2\xe9\xcd\xa4\xc7\xd2\xc1"},
      {"windows-1252", "it\x92s \x93quoted\x94"},
      {"iso-8859-1",
       "M\xfcller f\xe4hrt \xfc"
       "ber die Stra\xdf"
       "e und h\xf6rt sch\xf6ne Musik"},
  };
  for (const Sample& sample : kSamples) {
    std::string storage;
    EXPECT_EQ(decode_all(sample.bytes, "", storage).charset, sample.charset);
    EXPECT_TRUE(is_valid_utf8(storage)) << sample.charset;
    EXPECT_NE(storage, "") << sample.charset << " is not known to ICU by this name";
  }
}

TEST(Charset, KeepsUtf8WithoutACopy) {
  const std::string_view bytes = "caf\xc3\xa9";
  std::string storage;
  EXPECT_EQ(decode_all(bytes, "utf-8", storage).utf8.data(), bytes.data());
}

TEST(Charset, ConvertsTextsOfAnyLength) {
  const std::string bytes(100'000, '\xe9');
  EXPECT_EQ(decoded_word(bytes, "iso-8859-1").size(), 200'000U);
}

TEST(Charset, JudgesUtf8) {
  EXPECT_TRUE(is_valid_utf8("plain ASCII of more than one word"));
  EXPECT_TRUE(is_valid_utf8("\xf0\x9f\x98\x80"));
  EXPECT_FALSE(is_valid_utf8("\xc0\x80")) << "overlong";
  EXPECT_FALSE(is_valid_utf8("\xed\xa0\x80")) << "a surrogate";
  EXPECT_FALSE(is_valid_utf8("a\xf0\x9f\x98")) << "cut";
  EXPECT_FALSE(is_valid_utf8("\xf4\x90\x80\x80")) << "beyond U+10FFFF";
}

struct Row {
  std::string_view label, converter;
};
constexpr Row kRows[] = {
#include "mime/charset/charset_labels.inc"
};

TEST(CharsetLabels, NameOnlyConvertersThatIcuOpens) {
  for (const Row& row : kRows) {
    EXPECT_EQ(converter_of_label(row.label), row.converter);
    UErrorCode error = U_ZERO_ERROR;
    UConverter* const converter = ucnv_open(std::string(row.converter).c_str(), &error);
    EXPECT_TRUE(U_SUCCESS(error)) << row.label << ": " << row.converter;
    ucnv_close(converter);
  }
}

TEST(CharsetLabels, AreAllKnownToTheDecoder) {
  for (const Row& row : kRows) {
    std::string storage;
    // An unknown label leaves valid UTF-8 and calls it so; so do ASCII and UTF-8 themselves.
    const std::string charset = decode_all("caf\xc3\xa9", row.label, storage).charset;
    const bool checked = row.converter == "utf-8" || row.converter == "us-ascii";
    EXPECT_EQ(charset == "utf-8", checked) << row.label;
  }
}

TEST(CharsetLabels, LeaveOutWhatSaysNothing) {
  for (const std::string_view label : {"", "x-user-defined", "replacement", "x-what", "x-gb", "~"})
    EXPECT_EQ(converter_of_label(label), "") << label;
}

}  // namespace
}  // namespace shingled::mime
