// Transfer encodings with all kinds of errors.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

std::string body(std::string_view encoding, std::string_view piece, std::size_t bytes) {
  return repeat(encoded(encoding), piece, bytes);
}

/// uuencode with `lines` full lines of zeros.
std::string uuencoded(std::size_t bytes, std::string_view end) {
  return repeat(encoded("x-uuencode") + "begin 644 a\n", "M" + std::string(60, '`') + "\n", bytes)
      .append(end);
}

}  // namespace

std::vector<HostileKind> encoding_kinds() {
  return {
      {"base64-noise", "every second character is not base64",
       [](std::size_t bytes) { return body("base64", "Q.U~J-D*", bytes); }},
      {"base64-padding", "padding behind every byte",
       [](std::size_t bytes) { return body("base64", "QQ==", bytes); }},
      {"base64-nothing-but-padding", "only padding",
       [](std::size_t bytes) { return body("base64", "=", bytes); }},
      {"base64-blanks", "blanks between all characters",
       [](std::size_t bytes) { return body("base64", "Q U I = ", bytes); }},
      {"base64-lines-of-one", "one character per line",
       [](std::size_t bytes) { return body("base64", "Q\n", bytes); }},
      {"base64-one-line", "everything on one line",
       [](std::size_t bytes) { return body("base64", "d29yZCB3b3JkIA", bytes); }},
      {"base64-early-8bit", "an 8-bit byte at the beginning: is it base64?",
       [](std::size_t bytes) {
         return repeat(encoded("base64") + "\xe4", "d29yZCB3b3JkIA\n", bytes);
       }},
      {"base64-of-html", "HTML in base64",
       [](std::size_t bytes) {
         return encoded("base64", "text/html") + base64(repeat("", "<b><i>x</b>", bytes * 3 / 4));
       }},
      {"base64-of-noise", "noise declared as text",
       [](std::size_t bytes) { return encoded("base64") + base64(noise(bytes * 3 / 4)); }},
      {"base64-of-base64", "base64 in base64",
       [](std::size_t bytes) { return encoded("base64") + base64(base64(prose(bytes * 9 / 16))); }},
      {"qp-soft-breaks", "only soft line breaks",
       [](std::size_t bytes) { return body("quoted-printable", "=\n", bytes); }},
      {"qp-equals-at-ends", "an equals sign at the end of each word",
       [](std::size_t bytes) { return body("quoted-printable", "word= =\r\n=", bytes); }},
      {"qp-escapes", "every byte escaped",
       [](std::size_t bytes) { return body("quoted-printable", "=41=C3=A4=20", bytes); }},
      {"qp-bad-escapes", "escapes that are not valid",
       [](std::size_t bytes) { return body("quoted-printable", "=ZZ==4=4Z", bytes); }},
      {"qp-equals", "only equals signs",
       [](std::size_t bytes) { return body("quoted-printable", "=", bytes); }},
      {"qp-line-ends", "line breaks as escapes",
       [](std::size_t bytes) { return body("quoted-printable", "=0D=0A=0A", bytes); }},
      {"qp-html", "HTML with every angle bracket escaped",
       [](std::size_t bytes) {
         return repeat(encoded("quoted-printable", "text/html"), "=3Cdiv=3Ex=3C/p=3E", bytes);
       }},
      {"uuencode", "uuencode of zeros",
       [](std::size_t bytes) { return uuencoded(bytes, "`\nend\n"); }},
      {"uuencode-bad-end", "one bad line after all good ones: the decoding is discarded",
       [](std::size_t bytes) { return uuencoded(bytes, "Mbad\n"); }},
      {"uuencode-short-lines", "one byte per line",
       [](std::size_t bytes) {
         return repeat(encoded("x-uuencode") + "begin 644 a\n", "!80``\n", bytes);
       }},
      {"encoding-guessed-base64", "base64 that is not declared",
       [](std::size_t bytes) {
         return repeat(head() + "Subject: a\n\n", "QUJDabcdEFGHefghIJKLijklMNOPmnop", bytes);
       }},
      {"encoding-unknown", "an unknown encoding",
       [](std::size_t bytes) { return body("x-none", "word word\n", bytes); }},
      {"encoding-nulls", "null bytes in a text",
       [](std::size_t bytes) { return body("binary", std::string_view("a\0b\0 \0", 6), bytes); }},
      {"encoding-8bit-in-7bit", "8-bit bytes in a body declared as 7bit",
       [](std::size_t bytes) { return body("7bit", "\xe4\xff\x80 ", bytes); }},
  };
}

}  // namespace shingled::hostile
