#include "tests/bench/worst_cases.h"

#include <string_view>

namespace shingled {

namespace {

std::string repeat(std::string_view head, std::string_view piece, std::size_t bytes) {
  std::string out(head);
  out.reserve(bytes + piece.size());
  while (out.size() < bytes) out += piece;
  return out;
}

/// Pieces with a number in each, so that all are different.
std::string count_up(std::string_view head, std::string_view before, std::string_view behind,
                     std::size_t bytes) {
  std::string out(head);
  for (std::size_t i = 0; out.size() < bytes; ++i) {
    out += before;
    out += std::to_string(i);
    out += behind;
  }
  return out;
}

constexpr std::string_view kPlain = "Content-Type: text/plain; charset=utf-8\n\n";
constexpr std::string_view kHtml = "Content-Type: text/html; charset=utf-8\n\n";
constexpr std::string_view kMixed = "Content-Type: multipart/mixed; boundary=b\n\n";

std::string nest(std::string_view open, std::string_view close, std::size_t bytes) {
  const std::size_t levels = bytes / (open.size() + close.size());
  std::string out(kHtml);
  for (std::size_t i = 0; i < levels; ++i) out += open;
  for (std::size_t i = 0; i < levels; ++i) out += close;
  return out;
}

/// `head`, as many pieces as fit, `tail`.
std::string enclose(std::string_view head, std::string_view piece, std::string_view tail,
                    std::size_t bytes) {
  return repeat(std::string(kHtml) + std::string(head), piece, bytes) + std::string(tail);
}

/// Long words, each of many pieces.
std::string long_words(std::string_view piece, std::size_t pieces, std::size_t bytes) {
  std::string word;
  for (std::size_t i = 0; i < pieces; ++i) word += piece;
  return repeat(kPlain, word + " ", bytes);
}

/// As many style rules as a page may have, then elements with many classes.
std::string classes_of_many_rules(std::size_t bytes) {
  const std::string sheet =
      count_up(std::string(kHtml) + "<style>", ".c", "{color:red}", bytes / 4);
  std::string classes;
  for (int i = 0; i < 30; ++i) classes += "c" + std::to_string(i * 100) + " ";
  return repeat(sheet + "</style>", "<p class='" + classes + "'>a", bytes);
}

std::string nest_multiparts(std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; out.size() < bytes; ++i) {
    const std::string boundary = "b" + std::to_string(i);
    for (const std::string_view piece :
         {std::string_view("Content-Type: multipart/mixed; boundary="), std::string_view(boundary),
          std::string_view("\n\n--"), std::string_view(boundary), std::string_view("\n")}) {
      out += piece;
    }
  }
  return out;
}

}  // namespace

#define SHINGLED_CASE(name, expression)                               \
  WorstCase {                                                         \
    name, [](std::size_t bytes) -> std::string { return expression; } \
  }

const std::vector<WorstCase>& worst_cases() {
  static const std::vector<WorstCase> cases = {
      // ---- words ----
      SHINGLED_CASE("one word without end", repeat(kPlain, "a", bytes)),
      SHINGLED_CASE("one word again and again", repeat(kPlain, "word ", bytes)),
      SHINGLED_CASE("words of one letter", repeat(kPlain, "a b c d ", bytes)),
      SHINGLED_CASE("different words", count_up(kPlain, "w", " ", bytes)),
      SHINGLED_CASE("stop words", repeat(kPlain, "the and of to und der die et la ", bytes)),
      SHINGLED_CASE("combining characters", repeat(kPlain, "e\u0301\u0308\u0323 ", bytes)),
      SHINGLED_CASE("one letter under all marks", repeat(kPlain, "\u0301\u0323", bytes)),
      SHINGLED_CASE("Han", repeat(kPlain, "\u6771\u4eac\u90fd\u306b\u884c\u304f", bytes)),
      SHINGLED_CASE("Thai", repeat(kPlain, "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", bytes)),
      SHINGLED_CASE("Greek", repeat(kPlain, "\u03bb\u03cc\u03b3\u03bf\u03c2 ", bytes)),
      SHINGLED_CASE("zero width", repeat(kPlain, "a\u200b\u00ad", bytes)),
      SHINGLED_CASE("bytes that are no UTF-8", repeat(kPlain, "\xff\xe4 ", bytes)),
      SHINGLED_CASE("empty lines", repeat(kPlain, "\r\n", bytes)),
      SHINGLED_CASE("compatibility ligatures", repeat(kPlain, "\ufdfa ", bytes)),
      SHINGLED_CASE("words of marks to be sorted", long_words("\u0301\u0323", 500, bytes)),
      SHINGLED_CASE("words of kana marks", long_words("\u0323\uff9e", 500, bytes)),
      SHINGLED_CASE("long Tamil words", long_words("\u0bbe", 1000, bytes)),
      SHINGLED_CASE("Tamil words", long_words("\u0bbe", 60, bytes)),
      SHINGLED_CASE("long Arabic words", long_words("\u0647", 1000, bytes)),
      SHINGLED_CASE("half-width kana", repeat(kPlain, "\uff76\uff9e", bytes)),
      SHINGLED_CASE("half-width kana and Latin", repeat(kPlain, "ftp.\uff76\uff9e", bytes)),
      SHINGLED_CASE("rare Han", repeat(kPlain, "\U00020000\n", bytes)),
      SHINGLED_CASE("kana under marks", repeat(kPlain, "\u30ab/\u0323", bytes)),
      // ---- links ----
      SHINGLED_CASE("links", count_up(kPlain, "http://h", ".example.com/ ", bytes)),
      SHINGLED_CASE("links without a space", repeat(kPlain, "http://example.com/", bytes)),
      SHINGLED_CASE("addresses that end with their line", repeat(kPlain, "ing@\r", bytes)),
      SHINGLED_CASE("hosts that are too long", repeat(kPlain, "-ftp.", bytes)),
      SHINGLED_CASE("hosts of high bytes", repeat(kPlain, "\u00e9www.", bytes)),
      SHINGLED_CASE("colons alone", repeat(kPlain, ":", bytes)),
      SHINGLED_CASE("at signs", repeat(kPlain, "@", bytes)),
      SHINGLED_CASE("addresses in a row", repeat(kPlain, "a@b", bytes)),
      SHINGLED_CASE("user parts in a row", repeat(kPlain, "mailto:a.b+c", bytes)),
      SHINGLED_CASE("www.", repeat(kPlain, "www.", bytes)),
      SHINGLED_CASE("dots", repeat(kPlain, ".", bytes)),
      SHINGLED_CASE("bare names", repeat(kPlain, "a.com.", bytes)),
      SHINGLED_CASE("colons", repeat(kPlain, "http:", bytes)),
      SHINGLED_CASE("telephone links", repeat(kPlain, "tel:+1", bytes)),
      SHINGLED_CASE("open brackets of IPv6", repeat(kPlain, "http://[", bytes)),
      SHINGLED_CASE("open angles", repeat(kPlain, "<http://a.com\n", bytes)),
      // ---- HTML ----
      SHINGLED_CASE("nested tags", nest("<div>", "</div>", bytes)),
      SHINGLED_CASE("tags never closed", repeat(kHtml, "<b>", bytes)),
      SHINGLED_CASE("closing tags only", repeat(kHtml, "<p></b>", bytes)),
      SHINGLED_CASE("unclosed attributes", repeat(kHtml, "<a b=\"", bytes)),
      SHINGLED_CASE("unclosed attributes, mixed quotes", repeat(kHtml, "<a b='c\" ", bytes)),
      SHINGLED_CASE("attributes of one tag",
                    count_up(std::string(kHtml) + "<p ", "a", "=1 ", bytes)),
      SHINGLED_CASE("open angles of HTML", repeat(kHtml, "<", bytes)),
      SHINGLED_CASE("unclosed comments", repeat(kHtml, "<!--", bytes)),
      SHINGLED_CASE("unclosed declarations", repeat(kHtml, "<![", bytes)),
      SHINGLED_CASE("unclosed scripts", repeat(kHtml, "<script>", bytes)),
      SHINGLED_CASE("raw text without end", repeat(std::string(kHtml) + "<style>", "</", bytes)),
      SHINGLED_CASE("entities", repeat(kHtml, "&amp;", bytes)),
      SHINGLED_CASE("entities that are none", repeat(kHtml, "&ampampamp", bytes)),
      SHINGLED_CASE("selectors", count_up(std::string(kHtml) + "<style>", ".c", ",", bytes) +
                                     "{color:red}</style>a"),
      SHINGLED_CASE(
          "rules of a style",
          count_up(std::string(kHtml) + "<style>", ".c", "{display:none}", bytes) + "</style>a"),
      SHINGLED_CASE("one short selector", enclose("<style>", ".a,", "{}</style>a", bytes)),
      SHINGLED_CASE("short rules", enclose("<style>", ".a{}", "</style>a", bytes)),
      SHINGLED_CASE("short declarations", enclose("<style>.a{", "a:b;", "}</style>a", bytes)),
      SHINGLED_CASE("colours that are none",
                    enclose("<style>.a{", "color:rgb(", "}</style>a", bytes)),
      SHINGLED_CASE("styles", repeat(kHtml, "<p style='color:#fff;display:none'>a</p>", bytes)),
      SHINGLED_CASE("one style attribute", enclose("<p style='", "color:red;", "'>a", bytes)),
      SHINGLED_CASE("links of HTML",
                    count_up(kHtml, "<a href=http://a", ".com>www.a.com</a>", bytes)),
      SHINGLED_CASE(
          "classes of one tag",
          count_up(std::string(kHtml) + "<style>.a{color:red}</style><p class='", "c", " ", bytes) +
              "'>a"),
      SHINGLED_CASE("short classes of one tag",
                    enclose("<style>.a{color:red}</style><p class='", "a ", "'>a", bytes)),
      SHINGLED_CASE("classes of many rules", classes_of_many_rules(bytes)),
      SHINGLED_CASE("nested links", repeat(kHtml, "<a href=x>a@b.c ", bytes)),
      SHINGLED_CASE("nested links before a text",
                    repeat(repeat(kHtml, "<a href=x>", bytes / 8), "a.b c@d ", bytes)),
      SHINGLED_CASE("nested links of one long word",
                    repeat(repeat(kHtml, "<a href=x>a", bytes / 8), "www.a-ftp.", bytes)),
      SHINGLED_CASE("nested links of names", repeat(kHtml, "<a href=a.com>a.com'a.com'", bytes)),
      SHINGLED_CASE("nested links around white space",
                    repeat(repeat(kHtml, "<a href=x>", bytes / 8), "\u3000", bytes) + "abcde"),
      SHINGLED_CASE("nested links around white space at the end",
                    repeat(repeat(kHtml, "<a href=x>a", bytes / 8), "\u3000", bytes)),
      SHINGLED_CASE(
          "nested links with long addresses",
          repeat(kHtml, "<a href=http://a.b/" + std::string(500, 'c') + ">a@b.c ", bytes)),
      SHINGLED_CASE("one huge address",
                    enclose("<a href='", "http://a.b/@", "'>www.a.com</a>", bytes)),
      SHINGLED_CASE(
          "hosts of many labels",
          repeat(
              kHtml,
              "<a href=http://" +
                  std::string(
                      "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.com") +
                  ">a</a>",
              bytes)),
      SHINGLED_CASE("names that HTML does not have", count_up(kHtml, "<x", "></x>", bytes)),
      SHINGLED_CASE("one huge name", enclose("<", "x", ">a", bytes)),
      SHINGLED_CASE("references of nothing", repeat(kHtml, "&zzzzzz;", bytes)),
      SHINGLED_CASE("pictures", repeat(kHtml, "<img alt=ab>", bytes)),
      // ---- the message itself ----
      SHINGLED_CASE("lone carriage returns", repeat(kPlain, "\r", bytes)),
      SHINGLED_CASE("carriage returns alone", repeat("X: a\r\r", "-\r", bytes)),
      SHINGLED_CASE("a header of carriage returns", repeat("", "X: a\r", bytes)),
      SHINGLED_CASE("encoded words", repeat("Subject: ", "=?utf-8?q?a?= ", bytes) + "\n\nx\n"),
      SHINGLED_CASE("encoded words, begun only", repeat("Subject: ", "=?", bytes) + "\n\nx\n"),
      SHINGLED_CASE("encoded words, folded",
                    repeat("Subject:", "\n =?utf-8?b?w6k=?=", bytes) + "\n\nx\n"),
      SHINGLED_CASE("encoded words of two charsets",
                    repeat("Subject: ", "=?utf-8?q?a?= =?koi8-r?q?b?= ", bytes) + "\n\nx\n"),
      SHINGLED_CASE("one long header", repeat("X: ", "a", bytes) + "\n\nx\n"),
      SHINGLED_CASE("many headers", count_up("", "X-", ": a\n", bytes) + "\nx\n"),
      SHINGLED_CASE("a folded header", repeat("X: a", "\n b", bytes) + "\n\nx\n"),
      SHINGLED_CASE("parameters",
                    count_up("Content-Type: text/plain", "; a", "=b", bytes) + "\n\nx\n"),
      SHINGLED_CASE("soft breaks",
                    repeat("Content-Transfer-Encoding: quoted-printable\n\n", "=\n", bytes)),
      SHINGLED_CASE("escapes",
                    repeat("Content-Transfer-Encoding: quoted-printable\n\n", "=C3=A9=20", bytes)),
      SHINGLED_CASE("base64 of nothing but padding",
                    repeat("Content-Transfer-Encoding: base64\n\n", "=", bytes)),
      SHINGLED_CASE("parts of one byte", repeat(kMixed, "--b\n\nx", bytes)),
      SHINGLED_CASE("parts of one byte, on lines", repeat(kMixed, "--b\n\nx\n", bytes)),
      SHINGLED_CASE("parts without anything", repeat(kMixed, "--b\n", bytes)),
      SHINGLED_CASE("delimiters of others", count_up(kMixed, "--", "\n", bytes)),
      SHINGLED_CASE("nested multiparts", nest_multiparts(bytes)),
      SHINGLED_CASE("nested messages", repeat("", "Content-Type: message/rfc822\n\n", bytes)),
      SHINGLED_CASE("dashes", repeat(kMixed, "-", bytes)),
      SHINGLED_CASE("footers", repeat(kMixed, "-- \nfoot\n", bytes)),
  };
  return cases;
}

#undef SHINGLED_CASE

}  // namespace shingled
