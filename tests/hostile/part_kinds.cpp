// Messages with very many parts: the cost of each part, even if it is nearly empty.
#include <algorithm>
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

constexpr std::size_t kParts = 9990;  ///< below `mime.parts_max`

std::string same_parts(std::string_view part, std::size_t bytes) {
  return repeat(mixed(), part, bytes);
}

/// 9 990 parts of equal size, each with its own text, `make(number, bytes)`.
template <typename Make>
std::string shared_parts(std::string_view fields, std::size_t bytes, std::size_t bytes_min,
                         Make make) {
  const std::size_t each = std::max(bytes_min, bytes / kParts);
  std::string out = mixed();
  out.reserve(bytes + each);
  for (std::size_t i = 0; out.size() < bytes; ++i) {
    out += "--b\n";
    out.append(fields).append("\n");
    out += make(i, each);
    out += '\n';
  }
  return out;
}

std::string png(std::size_t number) {
  std::string out("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0", 24);
  return base64(out + std::to_string(number));
}

}  // namespace

std::vector<HostileKind> part_kinds() {
  return {
      {"parts-empty", "parts with nothing in them",
       [](std::size_t bytes) { return same_parts("--b\n\n\n", bytes); }},
      {"parts-of-one-byte", "parts of one letter",
       [](std::size_t bytes) { return same_parts("--b\n\nx\n", bytes); }},
      {"parts-header-only", "parts that are a short header",
       [](std::size_t bytes) { return same_parts("--b\nA: b\nC: d\n\n", bytes); }},
      {"parts-many-fields", "parts of 60 short fields: each field is kept somewhere",
       [](std::size_t bytes) {
         return same_parts("--b\n" + repeat("", "A:b\n", 240) + "\nx\n", bytes);
       }},
      {"parts-texts-empty-first", "empty parts before a text",
       [](std::size_t bytes) {
         return repeat(mixed(), "--b\n\n", bytes) + "--b\n\n" + prose(2000) + "\n--b--\n";
       }},
      {"parts-different-texts", "different short texts: one look-up each",
       [](std::size_t bytes) { return count_up(mixed(), "--b\n\nword ", "\n", bytes); }},
      {"parts-texts-to-hash", "texts long enough for shingles, all different",
       [](std::size_t bytes) {
         return shared_parts("Content-Type: text/plain; charset=utf-8\n", bytes, 450,
                             [](std::size_t i, std::size_t each) { return prose(each, i); });
       }},
      {"parts-html", "HTML documents, all different",
       [](std::size_t bytes) {
         return shared_parts("Content-Type: text/html; charset=utf-8\n", bytes, 200,
                             [](std::size_t i, std::size_t each) {
                               return "<html><body><p>" + prose(each, i) +
                                      "<a href=http://a.example/>x</a></p>";
                             });
       }},
      {"parts-alternatives", "pairs of plain text and HTML",
       [](std::size_t bytes) {
         return count_up(mixed(),
                         "--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\ntext ",
                         "\n--c\nContent-Type: text/html\n\n<p>text</p>\n--c--\n", bytes);
       }},
      {"parts-8bit-without-charset", "a charset must be guessed for each part",
       [](std::size_t bytes) {
         return shared_parts(
             "Content-Type: text/plain\n", bytes, 48, [](std::size_t i, std::size_t each) {
               return count_up("", "\xef\xf0\xe8\xe2\xe5\xf2 ", std::to_string(i), each);
             });
       }},
      {"parts-8bit-wrong-charset", "the same, declared as UTF-8",
       [](std::size_t bytes) {
         return shared_parts("Content-Type: text/plain; charset=utf-8\n", bytes, 64,
                             [](std::size_t i, std::size_t each) {
                               return count_up("", "\xb0\xa1\xb3\xaa ", std::to_string(i), each);
                             });
       }},
      {"parts-8bit-unknown-charset", "the same, with unknown charsets",
       [](std::size_t bytes) {
         std::string out = mixed();
         for (std::size_t i = 0; out.size() < bytes; ++i) {
           out += "--b\nContent-Type: text/plain; charset=x-none-" + std::to_string(i) +
                  "\n\n\xc4\xcf\xc2\xd2\xcf\xc5 \xd5\xd4\xd2\xcf\n";
         }
         return out;
       }},
      {"parts-attachments", "files of ten bytes, all different",
       [](std::size_t bytes) {
         return count_up(mixed(),
                         "--b\nContent-Type: application/octet-stream\n"
                         "Content-Disposition: attachment; filename=f\n\nfile ",
                         "\n", bytes);
       }},
      {"parts-images", "pictures that are only a header, all different",
       [](std::size_t bytes) {
         return shared_parts("Content-Type: image/png\nContent-Transfer-Encoding: base64\n", bytes,
                             40, [](std::size_t i, std::size_t) { return png(i); });
       }},
      {"parts-pdf", "files declared as PDF",
       [](std::size_t bytes) {
         return shared_parts("Content-Type: application/pdf; name=a.pdf\n", bytes, 60,
                             [](std::size_t i, std::size_t each) {
                               return "%PDF-1.7\n" + count_up("", "0 0 obj ", "\n", each) +
                                      std::to_string(i);
                             });
       }},
      {"parts-base64", "texts of one line in base64",
       [](std::size_t bytes) {
         return shared_parts(
             "Content-Transfer-Encoding: base64\n", bytes, 60,
             [](std::size_t i, std::size_t each) { return base64(prose(each * 3 / 4, i)); });
       }},
      {"parts-quoted-printable", "texts of one line in quoted-printable",
       [](std::size_t bytes) {
         return shared_parts("Content-Transfer-Encoding: quoted-printable\n", bytes, 60,
                             [](std::size_t i, std::size_t each) {
                               return count_up("", "=C3=A4=\n", std::to_string(i), each);
                             });
       }},
      {"parts-calendars", "data for programs that are nearly texts",
       [](std::size_t bytes) {
         return count_up(mixed(), "--b\nContent-Type: text/calendar\n\nBEGIN:VCALENDAR\nUID:",
                         "\nEND:VCALENDAR\n", bytes);
       }},
      {"parts-octets-to-sniff", "octets that may be HTML, each checked",
       [](std::size_t bytes) {
         return shared_parts(
             "Content-Type: application/octet-stream; name=a.html\n", bytes, 200,
             [](std::size_t, std::size_t each) { return repeat("", "<p<a", each); });
       }},
      {"parts-without-type", "no type: it must be guessed",
       [](std::size_t bytes) {
         return shared_parts("X: y\n", bytes, 100,
                             [](std::size_t i, std::size_t each) { return noise(each, i); });
       }},
      {"parts-names", "long file names in each part",
       [](std::size_t bytes) {
         return same_parts("--b\nContent-Type: a/b; name=\"" + std::string(900, 'n') + "\"\n\nx\n",
                           bytes);
       }},
      {"parts-languages", "a language must be guessed for each part",
       [](std::size_t bytes) {
         return rotate(mixed(),
                       {"--b\n\nquick brown foxes jump over lazy dogs every morning\n",
                        "--b\n\nder schnelle braune Fuchs springt wieder einmal morgens\n",
                        "--b\n\nле renard brun saute toujours par dessus le chien\n",
                        "--b\n\n\u0441\u044a\u0435\u0448\u044c \u0435\u0449\u0451 \u044d\u0442\n",
                        "--b\n\n\u65e5\u672c\u8a9e\u306e\u6587\u7ae0\u3092\u66f8\u304f\n"},
                       bytes);
       }},
      {"parts-everything", "a part of each sort in turn",
       [](std::size_t bytes) {
         return rotate(mixed(),
                       {"--b\n\ntext\n", "--b\nContent-Type: text/html\n\n<a href=x><b>y\n",
                        "--b\nContent-Type: image/gif\n\nGIF89a\x01\x01\x01\x01\n",
                        "--b\nContent-Type: message/rfc822\n\nSubject: a\n\nb\n",
                        "--b\nContent-Type: application/zip\n\nPK\x03\x04\n",
                        "--b\nContent-Transfer-Encoding: base64\n\nQUJD\n",
                        "--b\nContent-Type: text/plain; charset=koi8-r\n\n\xc1\xc2\n"},
                       bytes);
       }},
  };
}

}  // namespace shingled::hostile
