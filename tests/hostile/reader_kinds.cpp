// Files that hold a text: what was signed, calendars, SVG pictures.
#include <string>
#include <string_view>
#include <utility>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"
#include "tests/mime/cms/cms_builder.h"

namespace shingled::hostile {

namespace {

using testing::element;
using testing::Lengths;
using testing::signed_around;
using testing::signed_data;

constexpr std::string_view kSigned = "application/pkcs7-mime";

std::size_t decoded_size(std::size_t bytes) { return bytes * 3 / 4; }

std::string signed_file(std::string_view cms) { return attached(kSigned) + base64(cms); }

std::string entity(std::string_view cms) {
  return "Content-Type: application/pkcs7-mime\r\nContent-Transfer-Encoding: binary\r\n\r\n" +
         std::string(cms);
}

HostileKind calendar(std::string name, std::string why, std::string begin, std::string piece) {
  return {"calendar-" + std::move(name), std::move(why), [begin, piece](std::size_t bytes) {
            return encoded("8bit", "text/calendar") +
                   repeat("BEGIN:VCALENDAR\r\n" + begin, piece, bytes);
          }};
}

HostileKind picture(std::string name, std::string why, std::string piece) {
  return {"svg-" + std::move(name), std::move(why), [piece](std::size_t bytes) {
            return encoded("8bit", "image/svg+xml") + repeat("<svg>", piece, bytes);
          }};
}

}  // namespace

std::vector<HostileKind> reader_kinds() {
  using namespace std::string_literals;
  return {
      {"signed-text", "one large text, signed",
       [](std::size_t bytes) {
         return signed_file(
             signed_data("Content-Type: text/html\r\n\r\n" + prose(decoded_size(bytes))));
       }},
      {"signed-pieces", "octet strings of one byte each",
       [](std::size_t bytes) {
         const std::string pieces = repeat("", "\x04\x01x", decoded_size(bytes));
         return signed_file(
             signed_around(element(0x24, pieces, Lengths::kIndefinite), Lengths::kIndefinite));
       }},
      {"signed-empty-pieces", "octet strings of nothing, opened and closed",
       [](std::size_t bytes) {
         const std::string pieces = repeat("", "\x24\x80\0\0"s, decoded_size(bytes));
         return signed_file(signed_around(element(0x24, pieces, Lengths::kIndefinite)));
       }},
      {"signed-algorithms", "a list of algorithms without end",
       [](std::size_t bytes) {
         return signed_file("\x30\x80" + testing::pkcs7_type(2) + "\xa0\x80\x30\x80\x02\x01\x01" +
                            repeat("\x31\x80", "\x30\x80\0\0"s, decoded_size(bytes)));
       }},
      {"signed-in-signed", "as many signatures around each other as fit",
       [](std::size_t bytes) {
         std::string inner = "\r\n" + prose(bytes / 4);
         while (inner.size() + 200 < decoded_size(bytes) && inner.size() < bytes / 4 + 20'000) {
           inner = entity(signed_data(inner, Lengths::kIndefinite));
         }
         return signed_file(signed_data(inner));
       }},
      {"signed-delimiters", "a signed multipart of very many parts",
       [](std::size_t bytes) {
         return signed_file(signed_data(repeat("Content-Type: multipart/mixed; boundary=i\r\n\r\n",
                                               "--i\r\n\r\nx\r\n", decoded_size(bytes))));
       }},
      calendar("links", "very many links", "", "URL:http://example.org/a\r\n"),
      calendar("folds", "a line that never ends", "DESCRIPTION:", "\r\n x"),
      calendar("soft-breaks", "a quoted-printable line that never ends",
               "DESCRIPTION;ENCODING=QUOTED-PRINTABLE:", "=41=\r\n"),
      calendar("charsets", "a charset for each line", "",
               "COMMENT;QUOTED-PRINTABLE;CHARSET=iso-2022-jp:=1B$B\r\n"),
      calendar("guesses", "bytes whose charset is guessed on each line", "",
               "COMMENT;ENCODING=QUOTED-PRINTABLE:=E9=F0\r\n"),
      calendar("parameters", "one property of very many parameters", "SUMMARY", ";A=\"b:c\""),
      calendar("quotes", "quotes that are not closed", "", "SUMMARY;A=\":x\r\n"),
      calendar("html", "an HTML description on each line", "", "X-ALT-DESC:<table><a href=x>\r\n"),
      calendar("escapes", "nothing but escapes", "DESCRIPTION:", "\\n\\,"),
      picture("links", "very many links", "<a xlink:href=\"http://example.org/a\"/>"),
      picture("attributes", "one element of very many attributes", "<a x=y href "),
      picture("open-comments", "comments that are not closed", "<!--<!"),
      picture("open-quotes", "values that are not closed", "<a b=\"'><a b='"),
      picture("styles", "styles that are not closed", "<style>"),
  };
}

}  // namespace shingled::hostile
