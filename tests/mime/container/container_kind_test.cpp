#include "mime/container/container_kind.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/mime/container/archive_builder.h"

namespace shingled::mime {
namespace {

using namespace std::string_literals;

TEST(ContainerKind, OrdinaryFilesAreNoContainers) {
  std::string blocks(1024, ' ');
  struct Case {
    std::string_view why;
    std::string bytes;
  };
  for (const auto& [why, bytes] :
       {Case{"nothing", ""}, Case{"a text", "Dear Sir or Madam, PK\x03\x04 is no beginning"},
        Case{"a long text", std::string(2000, 'a')}, Case{"blanks", blocks},
        Case{"zeros", std::string(2000, '\0')}, Case{"a PDF", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"},
        Case{"a picture", "\xff\xd8\xff\xe0\0\x10JFIF"s}, Case{"a program", "MZ\x90\0\x03"s},
        Case{"mtree", "#mtree\n/set type=file\n./a mode=0644\n"},
        Case{"cpio", "070707000000000000000000"}, Case{"ar", "!<arch>\ndebian-binary   "},
        Case{"an old mail spool",
             "From user Mon Jan  1 00:00:00 2024\nSubject: 0000644\n\n" + std::string(600, '0')},
        Case{"a gzip with reserved flags", "\x1f\x8b\x08\xe0" + std::string(30, 'x')},
        Case{"half a mark", "PK"}, Case{"BZh and no block", "BZh9 is a text about bzip2"}}) {
    EXPECT_EQ(sniff_container(bytes), ContainerKind::kNone) << why;
  }
}

TEST(ContainerKind, ATarNeedsItsChecksum) {
  std::string bytes = testing::tar({{"a.txt", "text"}});
  EXPECT_EQ(sniff_container(bytes), ContainerKind::kTar);
  bytes[3] ^= 1;
  EXPECT_EQ(sniff_container(bytes), ContainerKind::kNone);
  bytes[3] ^= 1;
  EXPECT_EQ(sniff_container(bytes.substr(0, 511)), ContainerKind::kNone) << "half a header";
}

TEST(ContainerKind, KnowsOldTars) {
  std::string header(512, '\0');
  header.replace(0, 5, "a.txt");
  header.replace(100, 7, "0000644");
  header.replace(124, 11, "00000000000");
  unsigned sum = 8 * ' ';
  for (const char c : header) sum += static_cast<unsigned char>(c);
  char digits[8];
  std::snprintf(digits, sizeof digits, "%06o", sum);
  header.replace(148, 6, digits, 6);
  EXPECT_EQ(sniff_container(header), ContainerKind::kTar);
}

}  // namespace
}  // namespace shingled::mime
