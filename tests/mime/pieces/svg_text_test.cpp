#include "mime/pieces/svg_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace shingled::mime {
namespace {

using ::testing::HasSubstr;

TEST(SvgText, FindsWhereAPictureLeads) {
  struct Case {
    std::string svg;
    std::vector<std::string> links;
    std::string why;
  };
  const std::vector<Case> cases = {
      {"<svg><a xlink:href=\"http://example.org/a\"><text>x</text></a></svg>",
       {"http://example.org/a"},
       "SVG 1"},
      {"<svg><a href='http://example.org/b'/></svg>", {"http://example.org/b"}, "SVG 2"},
      {"<svg><a\n y = \"1\"\n href = http://example.org/c >", {"http://example.org/c"}, "blanks"},
      {"<svg><a XLINK:HREF=\"http://example.org/?a=1&amp;b=2\"/>",
       {"http://example.org/?a=1&b=2"},
       "entities"},
      {"<svg><use href=\"#a\"/><image href=\"data:image/png;base64,AA\"/>", {}, "inside"},
      {"<svg><!-- <a href=\"http://example.org/\"> --></svg>", {}, "a comment"},
      {"<svg><text>a < b <a href=\"http://example.org/d\"", {"http://example.org/d"}, "cut off"},
      {"<svg><a href=\"http://example.org/", {"http://example.org/"}, "an open quote"},
      {"<svg><a href", {}, "no value"},
      {"<svg><style a=\"b\"/><a href='http://example.org/e'/>",
       {"http://example.org/e"},
       "no style"},
      {"<svg><style/><a href='http://example.org/f'/>",
       {"http://example.org/f"},
       "so without blanks"},
      {"<svg><style / a='b'><a href='http://example.org/g'/>",
       {},
       "a slash elsewhere closes nothing"},
      {"<", {}, "nothing"},
  };
  for (const Case& c : cases) EXPECT_EQ(read_svg(c.svg).links, c.links) << c.why;
}

TEST(SvgText, ReadsTextsScriptsAndHandlers) {
  const SvgText read = read_svg(
      "<?xml version=\"1.0\"?><svg onload=\"go('http://example.org/1')\"><title>Your bill</title>"
      "<style>a{fill:red}</style><script><![CDATA[location='http://example.org/2']]></script>"
      "<text>Call&#32;us</text></svg>");
  for (const std::string part :
       {"http://example.org/1", "Your bill", "http://example.org/2", "Call us"}) {
    EXPECT_THAT(read.text, HasSubstr(part));
  }
  EXPECT_EQ(read.text.find("fill"), std::string::npos);
}

TEST(SvgText, IsBounded) {
  std::string many = "<svg>";
  for (std::size_t i = 0; i < kSvgLinksMax + 5; ++i) many += "<a href=x />";
  EXPECT_EQ(read_svg(many).links.size(), kSvgLinksMax);
}

TEST(SvgText, IsKnownByTypeNameOrBeginning) {
  struct Case {
    std::string type, subtype, name, body;
    bool svg;
  };
  const std::vector<Case> cases = {
      {"image", "svg+xml", "", "x", true},
      {"application", "octet-stream", "Invoice.SVG", "x", true},
      {"application", "octet-stream", "", "\n<?xml version=\"1.0\"?>\n<svg>", true},
      {"text", "html", "", "<svg>", true},
      {"text", "html", "", "<html><body><svg>", false},
      {"application", "xml", "", "<?xml version=\"1.0\"?><rss>", false},
      {"image", "png", "a.png", "x", false},
  };
  for (const Case& c : cases) {
    MailPart part;
    part.type.type = c.type;
    part.type.subtype = c.subtype;
    part.type.name = c.name;
    part.body = c.body;
    EXPECT_EQ(is_svg(part), c.svg) << c.type << '/' << c.subtype << ' ' << c.body;
  }
}

}  // namespace
}  // namespace shingled::mime
