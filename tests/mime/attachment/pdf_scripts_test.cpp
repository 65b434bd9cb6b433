// Covers mime/attachment/pdf_objects.cpp, mime/attachment/pdf_syntax.cpp: scripts in PDFs.
#include "mime/attachment/pdf_scripts.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <string_view>

#include "mime/fingerprint/digests.h"

namespace shingled::mime {
namespace {

using namespace std::string_literals;

std::string script_of(std::string_view word) {
  std::string script;
  for (int i = 0; i < 40; ++i) script += std::string(word) + "();";
  return script;
}
const std::string kScript = script_of("alert");

std::string packed(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size,
           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += kDigits[static_cast<unsigned char>(c) >> 4U];
    out += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return out;
}

std::string object(int number, std::string_view body) {
  return std::to_string(number) + " 0 obj\n" + std::string(body) + "\nendobj\n";
}
std::string action(std::string_view js) {
  return object(4, "<< /Type /Action /S /JavaScript /JS " + std::string(js) + " >>");
}
std::string stream(int number, std::string_view bytes, std::string_view entries = "",
                   int length = -1) {
  return object(number, "<< /Length " +
                            std::to_string(length < 0 ? static_cast<int>(bytes.size()) : length) +
                            " " + std::string(entries) + " >>\nstream\n" + std::string(bytes) +
                            "\nendstream");
}
const std::string kHead = "%PDF-1.4\n";
const std::string kByReference = action("5 0 R");

struct Case {
  std::string_view why;
  std::string pdf;
  bool found;
  std::string script;  ///< what is hashed; empty: nothing
};

// What /usr/bin/rspamd 3.4 makes of each.
TEST(PdfScripts, AreFoundWhereRspamdFindsThem) {
  const std::string flate = "/Filter /FlateDecode";
  const std::string in_parentheses = "(" + kScript + ")";
  const std::string of_stream = "<< /Type /Action /JS " + in_parentheses + " >> ";
  const std::string index = "4 0 ";
  const Case kCases[] = {
      {"nothing", object(1, "<< /Type /Catalog >>"), false, ""},
      {"a string", action(in_parentheses), true, kScript},
      {"a short one", action("(alert)"), true, ""},
      {"as one line", action("( a\\n\n\t b" + kScript + "\x01 )"), true, "a b" + kScript},
      {"parentheses inside", action("(x(y)" + kScript + "\\))"), true, "x(y)" + kScript + "\\)"},
      {"octal", action("(\\101\\102" + kScript + ")"), true, "AB" + kScript},
      {"what is no octal number", action("(\\189" + kScript + ")"), true, "?" + kScript},
      {"or no byte", action("(\\777" + kScript + ")"), false, ""},
      {"hexadecimal", action("<" + hex(kScript) + ">"), true, kScript},
      {"half a digit", action("<" + hex(kScript) + "4>"), true, kScript + "@"},
      {"with a space", action("< " + hex(kScript) + ">"), false, ""},
      {"UTF-16", action("<feff" + hex("\0x"s) + hex(kScript) + ">"), true, "??x" + kScript},
      {"an object", kByReference + object(5, in_parentheses), true, kScript},
      {"the later one of a number",
       kByReference + object(5, "(" + script_of("other") + ")") + object(5, in_parentheses), true,
       kScript},
      {"of another generation", action("5 1 R") + object(5, in_parentheses), false, ""},
      {"a stream", kByReference + stream(5, kScript), true, kScript},
      {"a packed one", kByReference + stream(5, packed(kScript), flate), true, kScript},
      {"in a list of filters", kByReference + stream(5, packed(kScript), "/Filter [/FlateDecode]"),
       true, kScript},
      {"twice",
       kByReference + stream(5, packed(packed(kScript)), "/Filter [/FlateDecode /FlateDecode]"),
       true, kScript},
      {"bare deflate",
       kByReference + stream(5, packed(kScript).substr(2, packed(kScript).size() - 6), flate), true,
       kScript},
      {"another filter", kByReference + stream(5, kScript, "/Filter /ASCII85Decode"), false, ""},
      {"a predictor",
       kByReference + stream(5, packed(kScript), flate + " /DecodeParms << /Predictor 12 >>"),
       false, ""},
      {"broken", kByReference + stream(5, packed(kScript).replace(4, 3, "\xff\xff\xff"), flate),
       false, ""},
      {"a length that is too short", kByReference + stream(5, kScript, "", 300), true,
       kScript.substr(0, 300)},
      {"or too long", kByReference + stream(5, kScript, "", 9000), true, kScript},
      {"or elsewhere",
       kByReference + object(5, "<< /Length 6 0 R >>\nstream\n" + kScript + "\nendstream") +
           object(6, "300"),
       true, kScript.substr(0, 300)},
      {"no length", kByReference + object(5, "<< /X 1 >>\nstream\n" + kScript + "\nendstream"),
       false, ""},
      {"an encrypted stream",
       kByReference + stream(5, kScript) + "\ntrailer\n<< /Encrypt 7 0 R >>\n", false, ""},
      {"but not a string", action(in_parentheses) + "\ntrailer\n<< /Encrypt 7 0 R >>\n", true,
       kScript},
      {"without a type", object(4, "<< /S /JavaScript /JS " + in_parentheses + " >>"), true,
       kScript},
      {"or a sort", object(4, "<< /JS " + in_parentheses + " >>"), false, ""},
      {"another type", object(4, "<< /Type /Annot /S /JavaScript /JS " + in_parentheses + " >>"),
       false, ""},
      {"a name in hexadecimal", object(4, "<< /Type /Action /J#53 " + in_parentheses + " >>"), true,
       kScript},
      {"a comment in front", object(4, "%c\n<< /Type /Action /JS " + in_parentheses + " >>"), true,
       kScript},
      {"a comment for a value", action("%c\n" + in_parentheses), false, ""},
      {"a list beside", object(4, "<< /Type /Action /X [[1][2]] /JS " + in_parentheses + " >>"),
       true, kScript},
      {"with spaces", object(4, "<< /Type /Action /X [ [1] [2] ] /JS " + in_parentheses + " >>"),
       false, ""},
      {"what a page shows", object(3, "<< /Type /Page /Contents 4 0 R >>") + action(in_parentheses),
       false, ""},
      {"in an object stream",
       stream(8, packed(index + of_stream), "/Type /ObjStm /N 1 /First 4 " + flate), true, kScript},
      {"without a count", stream(8, index + of_stream, "/Type /ObjStm /First 4"), false, ""},
      {"no end", "4 0 obj\n<< /Type /Action /JS " + in_parentheses + " >>\n", false, ""},
      {"all on one line",
       "4 0 obj<</Type/Action/JS 5 0 R>>endobj\n5 0 obj" + in_parentheses + "endobj\n", false, ""},
  };
  for (const Case& c : kCases) {
    WorkMeter meter(UINT64_MAX);
    const PdfScripts scripts = find_pdf_scripts(kHead + c.pdf, meter);
    EXPECT_EQ(scripts.found, c.found) << c.why;
    ASSERT_EQ(scripts.digests.size(), c.script.empty() ? 0U : 1U) << c.why;
    if (c.script.empty()) continue;
    EXPECT_EQ(scripts.digests.front(), fingerprint::script_digest(c.script)) << c.why;
  }
}

TEST(PdfScripts, AreHashedOnceEach) {
  const std::string pdf = kHead + action("(" + kScript + ")") +
                          object(5, "<< /Type /Action /JS (" + kScript + ") >>") +
                          object(6, "<< /Type /Action /JS (" + script_of("other") + ") >>");
  WorkMeter meter(UINT64_MAX);
  EXPECT_EQ(find_pdf_scripts(pdf, meter).digests.size(), 2U);
}

TEST(PdfScripts, AreNoneWhereTheWorkIsSpent) {
  const std::string bomb(1'000'000, ' ');
  std::string pdf = kHead + action("(" + kScript + ")");
  for (int i = 10; i < 60; ++i) {
    pdf += stream(i, packed(bomb.substr(0, 500'000)),
                  "/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode");
  }
  WorkMeter meter(50'000'000);
  EXPECT_FALSE(find_pdf_scripts(pdf, meter).found);
  EXPECT_TRUE(meter.refused());
  WorkMeter enough(UINT64_MAX);
  EXPECT_TRUE(find_pdf_scripts(pdf, enough).found);
}

}  // namespace
}  // namespace shingled::mime
