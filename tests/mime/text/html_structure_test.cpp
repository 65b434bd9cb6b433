#include "mime/text/html_structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

std::vector<HtmlElement> page() {
  const auto link = [](const char* url) {
    return HtmlElement{.name = "a", .css_class = "", .url = url, .depth = 3};
  };
  return {{.name = "html", .css_class = "", .url = "", .depth = 0},
          {.name = "body", .css_class = "", .url = "", .depth = 1},
          {.name = "p", .css_class = "lead", .url = "", .depth = 2},
          link("https://www.example.co.uk/x"),
          link("http://10.1"),
          link("/relative")};
}

TEST(HtmlStructure, IsNamesClassesAndDomains) {
  const auto tokens = structure_tokens(page(), 5, LinkDomains::kKept);
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->glued(), "htmlbodyp.leada@example.co.uka@10.0.0.1a");
  EXPECT_EQ(structure_tokens(page(), 5, LinkDomains::kIgnored)->glued(), "htmlbodyp.leadaaa");
}

TEST(HtmlStructure, NeedsElementsLinksAndDepth) {
  EXPECT_FALSE(structure_tokens(page(), 7, LinkDomains::kKept));
  std::vector<HtmlElement> one_link = page();
  one_link[3].url = "hxxp://example.com";
  EXPECT_FALSE(structure_tokens(one_link, 5, LinkDomains::kKept)) << "not what leads nowhere";
  one_link[5].url = "";
  one_link[3].name = "base";
  one_link[3].url = "http://example.com";
  EXPECT_FALSE(structure_tokens(one_link, 5, LinkDomains::kKept)) << "nor the base";
  std::vector<HtmlElement> flat = page();
  for (HtmlElement& element : flat) element.depth = 1;
  EXPECT_FALSE(structure_tokens(flat, 5, LinkDomains::kKept));
}

TEST(HtmlStructure, CompletesLinksByTheBase) {
  std::vector<HtmlElement> based = page();
  based.insert(based.begin() + 1,
               {.name = "base", .css_class = "", .url = "http://www.base.com", .depth = 1});
  EXPECT_EQ(structure_tokens(based, 5, LinkDomains::kKept)->glued(),
            "htmlbase@base.combodyp.leada@example.co.uka@10.0.0.1a@base.com");
}

}  // namespace
}  // namespace shingled::mime
