#include "mime/html/element_list.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace shingled::mime {
namespace {

TEST(UsableClass, NamesALayoutNotACampaign) {
  struct Case {
    std::string_view why, css_class, expected;
  };
  const Case cases[] = {
      {"the first word", "button big", "button"},
      {"lower case", "Button", "button"},
      {"letters, digits, - and _ stay", "b-1_x!", "b-1_x"},
      {"a tracking word anywhere spoils it", "button UTM-7", ""},
      {"half digits may be", "ab12", "ab12"},
      {"more than half may not", "a123", ""},
      {"too long for a layout",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ""},
      {"32 bytes are kept", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
      {"none", "  ", ""},
  };
  for (const Case& c : cases) EXPECT_EQ(usable_class(c.css_class), c.expected) << c.why;
}

TEST(ListElements, CountsWhatIsWrittenInDocumentOrder) {
  const auto elements = html_to_text(
                            "<!DOCTYPE html><html><body class='Main x'><!-- c -->"
                            "<xyz><a href='http://e.com/x'>k</a></xyz></p><img src=i.png></body>",
                            {}, Compat::kRspamd4)
                            .elements;
  const std::vector<HtmlElement> expected = {
      {"html", "", "", 1, false},    {"body", "main", "", 2, false},
      {"unknown", "", "", 3, false}, {"a", "", "http://e.com/x", 4, true},
      {"img", "", "", 3, false},
  };
  EXPECT_EQ(elements, expected) << "an image has no URL here";
}

TEST(ListElements, LeaveOutWhatOpensTheHeadBelowTheRoot) {
  struct Case {
    const char* why;
    const char* html;
    std::vector<std::string> names;
  };
  const std::vector<Case> cases = {
      {"a head", "<html><head><meta></head><body>", {"html", "meta", "body"}},
      {"a first meta", "<meta><p>", {"p"}},
      {"but not behind a doctype",
       "<!DOCTYPE html><html><head><meta></head><body>",
       {"html", "head", "meta", "body"}},
  };
  for (const Case& c : cases) {
    std::vector<std::string> names;
    for (const auto& element : html_to_text(c.html, {}, Compat::kRspamd4).elements) {
      names.push_back(element.name);
    }
    EXPECT_EQ(names, c.names) << c.why;
  }
}

}  // namespace
}  // namespace shingled::mime
