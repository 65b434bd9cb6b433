#include "mime/pieces/file_kind.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

struct Case {
  const char* why;
  std::string input;
  std::string expected;
};

TEST(FileKind, IsJudgedByTheFirstBytes) {
  const Case cases[] = {
      {"a program", "MZ\x90", "application/x-dosexec"},
      {"a PDF", "%PDF-1.7", "application/pdf"},
      {"a zip", std::string("PK\x03\x04") + "abc", "application/zip"},
      {"an old office document", "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "application/x-ole-storage"},
      {"a tar", std::string(257, 'x') + "ustar", "application/x-tar"},
      {"a disk", std::string(0x8001, '\0') + "CD001", "application/x-iso9660-image"},
      {"a picture", "\x89PNG\r\n\x1A\n", "image/png"},
      {"a text", "hello", ""},
      {"a beginning of a mark", "PK", ""},
      {"nothing", "", ""},
  };
  for (const Case& test : cases) EXPECT_EQ(sniff_file(test.input), test.expected) << test.why;
}

TEST(FileKind, HasANormalName) {
  const Case cases[] = {
      {"case and digits", "Invoice_4711.PDF", "invoice_0000.pdf"},
      {"folders", "C:\\temp\\a/b.exe", "b.exe"},
      {"blanks", " a   b .doc ", "a b .doc"},
      {"umlauts", "\u00DCbersicht.doc", "\u00FCbersicht.doc"},
      {"full width", "\uFF21.exe", "a.exe"},
      {"a direction mark",
       "a\u202E"
       "fdp.exe",
       "afdp.exe"},
      {"what Windows drops at the end", "a.exe. .. ", "a.exe"},
      {"nothing else", " . .", ""},
      {"only a folder", "a/", ""},
      {"nothing", "", ""},
  };
  for (const Case& test : cases) {
    const std::string once = normal_file_name(test.input);
    EXPECT_EQ(once, test.expected) << test.why;
    EXPECT_EQ(normal_file_name(once), once) << test.why;
  }
}

TEST(FileKind, IsExtensionAndType) {
  EXPECT_EQ(file_kind("a.pdf", "application/x-dosexec"), "pdf application/x-dosexec");
  EXPECT_EQ(file_kind("a.pdf.exe", ""), "exe -");
  EXPECT_EQ(file_kind("a", "image/png"), "- image/png");
  EXPECT_EQ(file_kind("a.this is a text", "image/png"), "- image/png");
  EXPECT_EQ(file_kind("a", ""), "");
  EXPECT_EQ(file_kind("", ""), "");
}

}  // namespace
}  // namespace shingled::mime
