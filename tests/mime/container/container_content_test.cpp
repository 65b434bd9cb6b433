#include "mime/container/container_content.h"

#include <gmock/gmock.h>

#include "tests/mime/container/archive_builder.h"

namespace shingled::mime {
namespace {

using ::shingled::testing::compress;
using ::shingled::testing::PackedFile;
using ::shingled::testing::tar;
using ::shingled::testing::zip;

std::string content(std::string_view bytes, const ContainerOptions& options = {}) {
  return container_content(open_container(bytes, options, [] { return false; }).root);
}

TEST(ContainerContent, DoesNotDependOnHowItIsPacked) {
  const std::vector<PackedFile> files = {{"a/x", "first "}, {"a/y", "second "}, {"b", "third"}};
  const std::vector<PackedFile> turned = {{"b", "third"}, {"a/y", "second "}, {"a/x", "first "}};
  const std::vector<PackedFile> dotted = {
      {"./b", "third"}, {"./a/y", "second "}, {"a/x", "first "}};
  EXPECT_EQ(content(zip(files)), "first second third");
  EXPECT_EQ(content(zip(turned, false)), "first second third");
  EXPECT_EQ(content(tar(dotted)), "first second third");
  EXPECT_EQ(content(compress(ARCHIVE_FILTER_GZIP, tar(turned))), "first second third");
}

TEST(ContainerContent, EqualNamesAreOrderedByWhatTheyHold) {
  EXPECT_EQ(content(tar({{"n", "2"}, {"n", "1"}})), content(tar({{"n", "1"}, {"n", "2"}})));
}

TEST(ContainerContent, HasNestedContainersInPlace) {
  const std::string inner = zip({{"2", "two "}, {"1", "one "}});
  EXPECT_EQ(content(zip({{"z", "last"}, {"m.zip", inner}, {"a", "first "}})), "first one two last");
}

TEST(ContainerContent, HasANestedOneAsItIsWhenItWasNotOpened) {
  const std::string inner = zip({{"1", "one"}});
  EXPECT_EQ(content(zip({{"m.zip", inner}}), ContainerOptions{.depth_max = 1}), inner);
}

TEST(ContainerContent, LeavesOutWhatAllOfAKindHave) {
  struct Case {
    std::string_view why;
    std::vector<PackedFile> files;
    std::string_view expected;
  };
  const std::string root =
      "<?xml version=\"1.0\"?>\n<!-- a > b --><w:document xmlns:w=\"a>b\" x='\"'>";
  const std::vector<Case> cases = {
      {"a text document",
       {{"[Content_Types].xml", "<Types/>"},
        {"_rels/.rels", "<R/>"},
        {"docProps/app.xml", "<P/>"},
        {"word/document.xml", root + "<w:body>words</w:body></w:document>"},
        {"word/footnotes.xml", root + "<w:separator/></w:document>"},
        {"word/header1.xml", root + "<w:t>head</w:t></w:document>"},
        {"word/media/image1.png", "\x89PNG"},
        {"word/styles.xml", "<S/>"},
        {"word/theme/theme1.xml", "<T/>"}},
       "<w:body>words</w:body></w:document><w:t>head</w:t></w:document>\x89PNG"},
      {"slides",
       {{"[Content_Types].xml", "<Types/>"},
        {"ppt/presentation.xml", "<P/>"},
        {"ppt/slideLayouts/slideLayout1.xml", "<L/>"},
        {"ppt/slides/slide1.xml", "<p:sld xmlns:p='p'><a:t>words</a:t></p:sld>"},
        {"ppt/slides/_rels/slide1.xml.rels", "<R/>"}},
       "<a:t>words</a:t></p:sld>"},
      {"an OpenDocument",
       {{"mimetype", "application/vnd.oasis.opendocument.text"},
        {"META-INF/manifest.xml", "<m/>"},
        {"content.xml", "<office:document-content><fonts/><office:body>words</office:body>"},
        {"styles.xml", "<s/>"}},
       "<office:body>words</office:body>"},
      {"a jar",
       {{"META-INF/MANIFEST.MF", "Manifest-Version: 1.0"},
        {"META-INF/CERT.RSA", "key"},
        {"META-INF/services/x", "service "},
        {"a/Main.class", "\xca\xfe"}},
       "service \xca\xfe"},
      {"a zip with files of such names",
       {{"word/styles.xml", "<S/>"}, {"docProps/x", "<P/>"}},
       "<P/><S/>"},
      {"no XML after all",
       {{"[Content_Types].xml", "<Types/>"}, {"word/document.xml", "no tag at all"}},
       "no tag at all"},
  };
  for (const auto& [why, files, expected] : cases) EXPECT_EQ(content(zip(files)), expected) << why;
}

}  // namespace
}  // namespace shingled::mime
