#include "mime/html/element_list.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/mime/unmetered.h"

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
      {"the first word ends at the first space", " button", ""},
  };
  for (const Case& c : cases) EXPECT_EQ(usable_class(c.css_class), c.expected) << c.why;
}

TEST(ListElements, CountsWhatIsWrittenInDocumentOrder) {
  const auto elements = read_html(
                            "<!DOCTYPE html><html><body class='Main x'><!-- c -->"
                            "<xyz><a href='http://e.com/x'>k</a></xyz></p><img src=i.png></body>",
                            {}, Compat::kRspamd4)
                            .elements;
  std::vector<HtmlElement> expected = {
      {"html", "", "", 1},    {"body", "main", "", 2},
      {"unknown", "", "", 3}, {"a", "", "http://e.com/x", 4},
      {"img", "", "", 3},
  };
  expected.back().picture = "i.png";
  EXPECT_EQ(elements, expected) << "an image has no URL here";
}

TEST(ListElements, KeepAnAddressWhereItLeadsSomewhere) {
  struct Case {
    std::string_view why, html, url;
  };
  const Case cases[] = {
      {"a form", "<p><form action=x>", "x"},
      {"an area of a map", "<p><area href=x>", "x"},
      {"a sheet in the body", "<p><link href=x>", "x"},
      {"but not in the head", "<head><title></title><link href=x>", ""},
      {"the base of all links, where it usually is", "<head><title></title><base href=x>", "x"},
      {"an image is shown, not followed", "<p><img src=x>", ""},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(read_html(c.html, {}, Compat::kRspamd4).elements.back().url, c.url) << c.why;
  }
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
      {"nor behind a comment",
       "<html><!-- --><head><meta></head><body>",
       {"html", "head", "meta", "body"}},
      {"text before all tags makes a root that counts", " <head></head>", {"html", "head"}},
  };
  for (const Case& c : cases) {
    std::vector<std::string> names;
    for (const auto& element : read_html(c.html, {}, Compat::kRspamd4).elements) {
      names.push_back(element.name);
    }
    EXPECT_EQ(names, c.names) << c.why;
  }
}

}  // namespace
}  // namespace shingled::mime
