// Charsets: all known ones, wrong ones, charsets with shift states, bytes that are valid in none.
#include <array>
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

/// Labels in mail that ICU knows, each with another converter.
constexpr std::array<std::string_view, 60> kCharsets{"iso-8859-1",
                                                     "iso-8859-2",
                                                     "iso-8859-3",
                                                     "iso-8859-4",
                                                     "iso-8859-5",
                                                     "iso-8859-6",
                                                     "iso-8859-7",
                                                     "iso-8859-8",
                                                     "iso-8859-9",
                                                     "iso-8859-10",
                                                     "iso-8859-13",
                                                     "iso-8859-14",
                                                     "iso-8859-15",
                                                     "windows-1250",
                                                     "windows-1251",
                                                     "windows-1252",
                                                     "windows-1253",
                                                     "windows-1254",
                                                     "windows-1255",
                                                     "windows-1256",
                                                     "windows-1257",
                                                     "windows-1258",
                                                     "windows-874",
                                                     "koi8-r",
                                                     "koi8-u",
                                                     "big5",
                                                     "big5-hkscs",
                                                     "gb2312",
                                                     "gbk",
                                                     "gb18030",
                                                     "hz-gb-2312",
                                                     "euc-jp",
                                                     "euc-kr",
                                                     "euc-tw",
                                                     "shift_jis",
                                                     "iso-2022-jp",
                                                     "iso-2022-jp-2",
                                                     "iso-2022-kr",
                                                     "iso-2022-cn",
                                                     "utf-16",
                                                     "utf-16le",
                                                     "utf-16be",
                                                     "utf-32",
                                                     "utf-7",
                                                     "cesu-8",
                                                     "bocu-1",
                                                     "scsu",
                                                     "ibm437",
                                                     "ibm850",
                                                     "ibm852",
                                                     "ibm855",
                                                     "ibm857",
                                                     "ibm866",
                                                     "ibm037",
                                                     "ibm1047",
                                                     "macintosh",
                                                     "tis-620",
                                                     "imap-mailbox-name",
                                                     "x11-compound-text",
                                                     "windows-31j"};

std::string text(std::string_view charset, std::string_view piece, std::size_t bytes) {
  return repeat(plain(charset), piece, bytes);
}

std::string one_part_each(std::size_t bytes) {
  std::string out = mixed();
  for (std::size_t i = 0; out.size() < bytes; ++i) {
    out += "--b\nContent-Type: text/plain; charset=";
    out.append(kCharsets[i % kCharsets.size()]) += "\n\n" + noise(200, i) + "\n";
  }
  return out;
}

HostileKind shifted(std::string name, std::string charset, std::string piece) {
  return {"charset-" + std::move(name), "shifts in and out at every letter of " + charset,
          [charset, piece](std::size_t bytes) { return text(charset, piece, bytes); }};
}

HostileKind broken(std::string name, std::string why, std::string charset, std::string piece) {
  return {"charset-" + std::move(name), std::move(why),
          [charset, piece](std::size_t bytes) { return text(charset, piece, bytes); }};
}

}  // namespace

std::vector<HostileKind> charset_kinds() {
  return {
      {"charset-every", "a part of each charset: a converter opened each time", one_part_each},
      {"charset-noise-gb18030", "noise in a charset with up to four bytes per character",
       [](std::size_t bytes) { return plain("gb18030") + noise(bytes); }},
      {"charset-noise-iso-2022-cn", "noise in a charset with shift states",
       [](std::size_t bytes) { return plain("iso-2022-cn") + noise(bytes); }},
      {"charset-noise-utf-16", "noise declared as UTF-16",
       [](std::size_t bytes) { return plain("utf-16") + noise(bytes); }},
      {"charset-noise-unlabelled", "noise without a charset, which must be guessed",
       [](std::size_t bytes) { return plain("") + noise(bytes); }},
      {"charset-noise-utf-8", "noise declared as UTF-8",
       [](std::size_t bytes) { return plain("utf-8") + noise(bytes); }},
      shifted("utf-7", "utf-7", "+AOQ-"),
      shifted("utf-7-open", "utf-7", "+AOQA5ADk "),
      shifted("iso-2022-jp", "iso-2022-jp", "\x1b$BF|\x1b(B"),
      shifted("iso-2022-jp-2", "iso-2022-jp-2", "\x1b$(CGQ\x1b$A0!\x1b(B"),
      shifted("iso-2022-kr", "iso-2022-kr", "\x1b$)C\x0eGQ\x0f"),
      shifted("iso-2022-cn", "iso-2022-cn",
              "\x1b$)A\x0e"
              "0!\x0f"),
      shifted("hz", "hz-gb-2312", "~{VP~}"),
      shifted("scsu", "scsu", "\x0e\x4e\x2d\x10\x61"),
      shifted("imap", "imap-mailbox-name", "&AOQ-"),
      shifted("compound-text", "x11-compound-text", "\x1b-A\xe4\x1b-B\xe4"),
      broken("gb18030-pairs", "four bytes a letter", "gb18030", "\x81\x30\x81\x30"),
      broken("gb18030-halves", "letters that begin and do not end", "gb18030", "\x81\x30 \x81"),
      broken("big5-halves", "letters that begin and do not end", "big5", "\xa4 \xa4\xff"),
      broken("shift-jis-kana", "half-width letters, each three bytes of UTF-8", "shift_jis",
             "\xb1\xb2\xb3"),
      broken("euc-jp-triples", "letters of three bytes", "euc-jp", "\x8f\xb0\xa1"),
      broken("euc-tw-quads", "letters of four bytes", "euc-tw", "\x8e\xa2\xa1\xa1"),
      broken("latin1-all-high", "each byte becomes two", "iso-8859-1", "\xe4\xf6\xfc"),
      broken("ebcdic", "a charset of which no byte is what it seems", "ibm037", "\xc8\x85\x93\x40"),
      broken("utf-16-surrogates", "halves of pairs", "utf-16be", std::string("\xd8\0\xd8\0", 4)),
      {"charset-mark-utf-16", "halves of pairs below the mark of UTF-16, which no label declares",
       [](std::size_t bytes) {
         return repeat(plain("utf-8") + "\xff\xfe", std::string("\0\xd8", 2), bytes);
       }},
      {"charset-mark-utf-32", "letters beyond all letters below the mark of UTF-32",
       [](std::size_t bytes) {
         return repeat(plain("") + std::string("\0\0\xfe\xff", 4), "\xff\xff\xff\xff", bytes);
       }},
      {"charset-mark-each", "a mark and one letter in each of many parts",
       [](std::size_t bytes) {
         return repeat(mixed(),
                       std::string("--b\n\n\xff\xfe"
                                   "a\0\n",
                                   10),
                       bytes);
       }},
      broken("utf-32-beyond", "letters beyond all letters", "utf-32", "\xff\xff\xff\xff"),
      broken("utf-8-overlong", "long forms of short letters", "utf-8", "\xc0\xaf\xe0\x80\xaf"),
      broken("utf-8-surrogates", "halves of pairs in UTF-8", "utf-8", "\xed\xa0\x80"),
      broken("utf-8-cut", "letters that are cut", "utf-8", "\xe6\x9d \xf0\x9f\x98"),
      broken("utf-8-tails", "tails without a head", "utf-8", "\x80\xbf "),
      broken("utf-8-five-bytes", "forms of five and six bytes", "utf-8",
             "\xf8\x88\x80\x80\x80\xfc\x84\x80\x80\x80\x80"),
      broken("utf-8-nearly", "valid, but for one letter in eight", "utf-8",
             "\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4\xff "),
      broken("guess-thai", "Thai without a label", "", "\xc0\xd2\xc9\xd2\xe4\xb7\xc2 "),
      broken("guess-hebrew", "Hebrew without a label", "", "\xf9\xec\xe5\xed "),
      broken("guess-cyrillic", "Cyrillic without a label", "", "\xef\xf0\xe8\xe2\xe5\xf2 "),
      broken("guess-japanese", "Japanese without a label", "", "\x93\xfa\x96\x7b\x8c\xea "),
      broken("guess-tags", "8-bit bytes in tags, which the guess leaves out", "",
             "<\xe4\xf6\xfc \xe4\xf6\xfc>"),
      broken("wrong-label", "UTF-8 under the name of KOI8-R: each letter becomes six", "koi8-r",
             "\u6771\u4eac\u90fd"),
      broken("without-table", "a charset that exists without a table", "johab", "\xb0\xa1\xd5 "),
      broken("label-quoted", "a label in quotes, dots and blanks", "\" 'Utf-8'. \"", "\u00e4 "),
  };
}

}  // namespace shingled::hostile
