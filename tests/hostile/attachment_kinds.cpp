// Attachments: files of every kind with wrong sizes, and files that are expensive to compare.
#include <zlib.h>

#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

std::string file(std::string_view type, std::string_view bytes) {
  return attached(type) + base64(bytes);
}
std::size_t decoded_size(std::size_t bytes) { return bytes * 3 / 4; }

/// The best compression of zlib: blocks that repeat one zero.
std::string zlib_zeros(std::size_t bytes) {
  uLongf size = compressBound(bytes);
  std::string out(size, '\0');
  const std::string zeros(bytes, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size,
           reinterpret_cast<const Bytef*>(zeros.data()), bytes);
  out.resize(size);
  return out;
}

HostileKind filled(std::string name, std::string why, std::string type, std::string begin,
                   std::string piece) {
  return {"attachment-" + std::move(name), std::move(why), [type, begin, piece](std::size_t bytes) {
            return file(type, repeat(begin, piece, decoded_size(bytes)));
          }};
}

}  // namespace

std::vector<HostileKind> attachment_kinds() {
  using namespace std::string_literals;
  return {
      {"attachment-noise", "one large file of noise",
       [](std::size_t bytes) {
         return file("application/octet-stream", noise(decoded_size(bytes)));
       }},
      {"attachment-prose", "one large file of words",
       [](std::size_t bytes) {
         return file("application/octet-stream", prose(decoded_size(bytes)));
       }},
      {"attachment-binary", "one large file without an encoding",
       [](std::size_t bytes) {
         return encoded("binary", "application/octet-stream") + noise(bytes);
       }},
      {"attachment-pdf", "a PDF of very many objects",
       [](std::size_t bytes) {
         return file("application/pdf", count_up("%PDF-1.7\n", "", " 0 obj<</Type/Page>>endobj\n",
                                                 decoded_size(bytes)));
       }},
      {"attachment-pdf-overlaps", "objects that all extend to the same end",
       [](std::size_t bytes) {
         const std::size_t half = decoded_size(bytes) / 2;
         return file("application/pdf", count_up("%PDF-1.7\n", "", " 0 obj<< /A (x) >> ", half) +
                                            repeat("", "endobj\n", half));
       }},
      {"attachment-pdf-actions", "a PDF of scripts, no two alike",
       [](std::size_t bytes) {
         return file("application/pdf",
                     count_up("%PDF-1.7\n", "\n",
                              " 0 obj<</Type/Action/JS(" + std::string(300, 'x') + ")>>\nendobj\n",
                              decoded_size(bytes)));
       }},
      {"attachment-pdf-streams", "scripts that each unpack to half a megabyte of zeros",
       [](std::size_t bytes) {
         const std::string stream = zlib_zeros(500'000);
         const std::string behind = " 0 obj<</Type/ObjStm/N 1/First 4/Filter/FlateDecode/Length " +
                                    std::to_string(stream.size()) + ">>\nstream\n" + stream +
                                    "\nendstream\nendobj\n";
         return file("application/pdf", count_up("%PDF-1.7\n", "\n", behind, decoded_size(bytes)));
       }},
      filled("pdf-arrays", "a PDF of open arrays", "application/pdf", "%PDF-1.7\n1 0 obj\n", "["),
      filled("pdf-strings", "a PDF of open strings", "application/pdf",
             "%PDF-1.7\n1 0 obj\nendobj\n1 0 obj\n", "("),
      filled("pdf-blanks", "a PDF of blanks before marks", "application/pdf", "%PDF-1.7\n",
             std::string(500, ' ') + "stream\n" + std::string(500, '1') + " obj "),
      {"attachment-zip-members", "a list of very many members",
       [](std::size_t bytes) {
         const std::string member = "PK\x01\x02"s + std::string(42, '\0');
         std::string zip = repeat("PK\x03\x04", member, decoded_size(bytes));
         const std::size_t size = zip.size() - 4;
         zip += "PK\x05\x06"s + std::string(8, '\0');
         for (const std::size_t number : {size, std::size_t{4}}) {
           for (unsigned i = 0; i < 4; ++i) zip += static_cast<char>(number >> (8 * i));
         }
         return file("application/zip", zip + std::string(2, '\0'));
       }},
      filled("rar-blocks", "an archive of the smallest blocks", "application/x-rar",
             "Rar!\x1a\x07\0"s, "cr\x7a\0\0\x07\0"s),
      filled("zeros", "a file of zeros: a signature of nothing", "application/octet-stream", "",
             "\0"s),
      filled("rows", "a file of one short row: pieces that are all alike",
             "application/octet-stream", "", "abcdefg"),
      filled("jpeg-fills", "a JPEG of fill bytes, looked through for its frame", "image/jpeg",
             "\xff\xd8", "\xff"),
      filled("jpeg-segments", "a JPEG of empty segments", "image/jpeg", "\xff\xd8",
             "\xff\xe0\0\0"s),
      filled("png-huge-size", "a picture of four thousand million lines", "image/png",
             "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff"s, "x"),
      filled("gif-zero-size", "a picture of no size", "image/gif", "GIF89a\0\0\0\0"s, "\0"s),
      filled("bmp-negative-size", "a picture of negative size", "image/bmp",
             "BM" + std::string(16, '\0') + "\xff\xff\xff\xff\xff\xff\xff\xff", "y"),
      filled("svg", "a picture that is text", "image/svg+xml", "<svg>", "<g><a href='x'>y"),
      filled("csv", "a table", "text/csv", "", "a,b,\"c\"\n"),
      filled("vcard", "cards of people", "text/vcard", "", "BEGIN:VCARD\nFN:a\nEND:VCARD\n"),
      filled("html", "a page as a file", "text/html", "", "<a href=http://a.com>www.b.com</a>"),
      filled("html-as-octets", "a page that says it is octets", "application/octet-stream",
             "<html><body>", "<a href=x><p>words"),
      filled("text", "a text as a file", "text/plain", "", "some words of a text\n"),
      filled("rar-head", "an archive that nobody opens", "application/x-rar", "Rar!\x1a\x07", "x"),
      filled("ole", "an old document", "application/msword", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
             "W\0o\0r\0d\0"s),
      filled("tnef", "a box of an old mail program", "application/ms-tnef", "\x78\x9f\x3e\x22",
             "\x01\x02\x80\0"s),
  };
}

}  // namespace shingled::hostile
