// Headers: too many fields, too long fields, encoded words.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

/// A message whose header is `begin` and then `piece` repeated.
std::string in_header(std::string begin, std::string_view piece, std::size_t bytes) {
  return repeat(head() + std::move(begin), piece, bytes) + "\n\nbody\n";
}

}  // namespace

std::vector<HostileKind> header_kinds() {
  return {
      {"header-many-fields", "each field is kept somewhere",
       [](std::size_t bytes) { return count_up(head(), "X-", ": a\n", bytes) + "\nbody\n"; }},
      {"header-shortest-fields", "fields of two letters",
       [](std::size_t bytes) { return in_header("", "a:\n", bytes); }},
      {"header-without-body", "no empty line: all of it may be header or body",
       [](std::size_t bytes) { return repeat(head(), "X-Field: value\n", bytes); }},
      {"header-one-line", "one field as long as the message",
       [](std::size_t bytes) { return in_header("X-Long: ", "a", bytes); }},
      {"header-one-line-without-end", "a field without any line break",
       [](std::size_t bytes) { return repeat(head() + "Subject: ", "a", bytes); }},
      {"header-folded", "one endlessly folded field",
       [](std::size_t bytes) { return in_header("X-Fold: a", "\n b", bytes); }},
      {"header-folded-blank", "folded lines with nothing on them",
       [](std::size_t bytes) { return in_header("X-Fold: a", "\n \t", bytes); }},
      {"header-no-colons", "lines that are not fields",
       [](std::size_t bytes) { return in_header("", "no field at all\n", bytes); }},
      {"header-colons", "lines that consist of colons",
       [](std::size_t bytes) { return in_header("", "::::::::\n", bytes); }},
      {"header-nulls", "fields with null bytes",
       [](std::size_t bytes) {
         return in_header("", std::string_view("X-\0: \0a\0\n", 9), bytes);
       }},
      {"header-8bit", "fields with bytes that are not valid in any charset",
       [](std::size_t bytes) {
         return in_header("Subject: a\n", "X-\xe4: \xff\xfe\xe4\n", bytes);
       }},
      {"header-bare-cr", "fields that end in a bare CR",
       [](std::size_t bytes) { return in_header("", "X-A: b\r", bytes); }},
      {"header-received", "a loop of a thousand hops",
       [](std::size_t bytes) {
         return count_up(head(),
                         "Received: from a.example.net (a.example.net [192.0.2.1])\n\tby mx",
                         ".example.org; Mon, 2 Feb 2026 10:00:00 +0000\n", bytes) +
                "\nbody\n";
       }},
      {"header-subjects", "many subjects",
       [](std::size_t bytes) { return in_header("", "Subject: =?utf-8?q?hello?=\n", bytes); }},
      {"header-forged-ours", "headers that look like ours, each to be removed",
       [](std::size_t bytes) { return in_header("", "X-Shingled-Status: No\n", bytes); }},
      {"header-blank-lines-first", "empty lines before the header",
       [](std::size_t bytes) { return repeat("", "\r\n \t", bytes) + head() + "\nbody\n"; }},
      {"header-from-lines", "lines of an mbox",
       [](std::size_t bytes) {
         return repeat("From a@b Mon Feb  2 10:00:00 2026\n" + head() + "Subject: a\n\n",
                       "From a@b Mon Feb  2 10:00:00 2026\nSubject: b\n\nbody\n\n", bytes);
       }},
      {"subject-words-q", "thousands of encoded words",
       [](std::size_t bytes) { return in_header("Subject: ", "=?utf-8?q?a=C3=A4?= ", bytes); }},
      {"subject-words-b", "encoded words in base64",
       [](std::size_t bytes) { return in_header("Subject: ", "=?utf-8?b?w6TDtg==?= ", bytes); }},
      {"subject-words-folded", "each encoded word on its own line",
       [](std::size_t bytes) {
         return in_header("Subject:", "\n =?iso-8859-1?q?=E4_=F6?=", bytes);
       }},
      {"subject-words-charsets", "a different charset each time: one converter each",
       [](std::size_t bytes) {
         return rotate(head() + "Subject: ",
                       {"=?koi8-r?q?=C1?= ", "=?big5?b?pKQ=?= ", "=?euc-jp?b?xvw=?= ",
                        "=?gb18030?b?1tA=?= ", "=?windows-1251?q?=E0?= ", "=?euc-kr?b?x9E=?= ",
                        "=?shift_jis?b?k/o=?= ", "=?iso-8859-7?q?=E1?= ", "=?cp850?q?=84?= ",
                        "=?iso-2022-jp?b?GyRCRnxLXBsoQg==?= ", "=?windows-874?q?=A1?= ",
                        "=?utf-16?b?AGE=?= ", "=?utf-7?q?+AOQ-?= ", "=?cp437?q?=84?= "},
                       bytes) +
                "\n\nbody\n";
       }},
      {"subject-words-charset-names", "a different unknown charset each time",
       [](std::size_t bytes) {
         return count_up(head() + "Subject: ", "=?x-none-", "?q?a?= ", bytes) + "\n\nbody\n";
       }},
      {"subject-words-long-charset", "charset names of 200 letters",
       [](std::size_t bytes) {
         return in_header("Subject: ", "=?" + std::string(200, 'c') + "?q?a?= ", bytes);
       }},
      {"subject-words-empty", "encoded words with nothing in them",
       [](std::size_t bytes) {
         return in_header("Subject: ",
                          "=?utf-8?q?"
                          "?= ",
                          bytes);
       }},
      {"subject-words-begun", "words that begin and never end",
       [](std::size_t bytes) { return in_header("Subject: ", "=?utf-8?q?a ", bytes); }},
      {"subject-words-begun-one-end", "words that begin, with one end after all of them",
       [](std::size_t bytes) {
         return repeat(head() + "Subject: ", "=?utf-8?x?a ", bytes) + "?=\n\nbody\n";
       }},
      {"subject-words-nested", "words in words",
       [](std::size_t bytes) { return in_header("Subject: ", "=?utf-8?q?=?utf-8?q?a?=", bytes); }},
      {"subject-words-iso-2022-jp", "words that must not be joined",
       [](std::size_t bytes) {
         return in_header("Subject: ", "=?iso-2022-jp?b?GyRCRnxLXBsoQg==?= ", bytes);
       }},
      {"subject-words-one-huge", "one word as long as the line",
       [](std::size_t bytes) {
         return repeat(head() + "Subject: =?utf-8?b?", "w6TDtsO8", bytes) + "?=\n\nbody\n";
       }},
      {"subject-controls", "a subject of control characters",
       [](std::size_t bytes) { return in_header("Subject: ", "\x01\x7f\x1b[31m ", bytes); }},
      {"subject-bidi", "a subject of direction marks",
       [](std::size_t bytes) { return in_header("Subject: ", "\u202e\u0085\u009b\u200f", bytes); }},
  };
}

}  // namespace shingled::hostile
