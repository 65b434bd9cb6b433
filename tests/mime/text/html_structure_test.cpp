#include "mime/text/html_structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

std::vector<HtmlElement> page() {
  const auto link = [](const char* url) {
    return HtmlElement{.name = "a", .css_class = "", .url = url, .depth = 3, .is_link = true};
  };
  return {{.name = "html", .css_class = "", .url = "", .depth = 0},
          {.name = "body", .css_class = "", .url = "", .depth = 1},
          {.name = "p", .css_class = "lead", .url = "", .depth = 2},
          link("https://www.example.co.uk/x"),
          link("/relative")};
}

TEST(HtmlStructure, IsNamesClassesAndDomains) {
  const auto tokens = structure_tokens(page(), 5, LinkDomains::kKept);
  ASSERT_TRUE(tokens);
  EXPECT_EQ(tokens->glued(), "htmlbodyp.leada@example.co.uka");
  EXPECT_EQ(structure_tokens(page(), 5, LinkDomains::kIgnored)->glued(), "htmlbodyp.leadaa");
}

TEST(HtmlStructure, NeedsElementsLinksAndDepth) {
  EXPECT_FALSE(structure_tokens(page(), 6, LinkDomains::kKept));
  std::vector<HtmlElement> one_link = page();
  one_link.back().is_link = false;
  EXPECT_FALSE(structure_tokens(one_link, 5, LinkDomains::kKept));
  std::vector<HtmlElement> flat = page();
  for (HtmlElement& element : flat) element.depth = 1;
  EXPECT_FALSE(structure_tokens(flat, 5, LinkDomains::kKept));
}

}  // namespace
}  // namespace shingled::mime
