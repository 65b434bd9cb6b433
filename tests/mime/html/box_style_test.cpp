// The boxes that rspamd holds hidden from 4.1.1 on, each beside what only looks like it.
#include "mime/html/box_style.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

struct Case {
  std::string_view style;
  bool hidden;
};

constexpr Case kCases[] = {
    {"max-height:0;overflow:hidden", true},
    {"max-height:0px;overflow:hidden", true},
    {"MAX-HEIGHT: 0; OVERFLOW: Clip", true},
    {"max-height:10px;overflow:hidden", false},
    {"max-height:0", false},
    {"max-height:0;overflow:visible", false},
    {"max-height:0;overflow:auto", false},
    {"max-height:0;overflow:hidden;max-height:10px", false},
    {"max-height:0;overflow:hidden;overflow:visible", false},
    {"max-height:none;overflow:hidden", false},
    {"height:0;overflow:hidden", true},
    {"height:0;overflow:clip", true},
    {"height:1px;overflow:hidden", false},
    {"line-height:0;overflow:hidden", false},
    {"width:0;overflow:hidden", true},
    {"width:0%;overflow:hidden", true},
    {"width:100%;overflow:hidden", false},
    {"min-width:0;overflow:hidden", false},
    {"overflow:hidden", false},
    {"position:absolute;left:-1000px", true},
    {"position:absolute;left:-9999px", true},
    {"position:fixed;top:-5000px", true},
    {"position:absolute;left:-100em", true},
    {"position:absolute;left:-999px", false},
    {"position:absolute;left:-10px", false},
    {"position:absolute;left:9999px", false},
    {"position:absolute;left:-1000%", false},
    {"position:relative;left:-9999px", false},
    {"left:-9999px", false},
    {"position:absolute;right:-9999px", false},
    {"text-indent:-9999px", true},
    {"text-indent:-1000px", true},
    {"text-indent:-10px", false},
    {"text-indent:-100%", false},
    {"text-indent:9999px", false},
    {"clip:rect(0,0,0,0)", true},
    {"clip:rect(0 0 0 0)", true},
    {"clip:rect(1px,1px,1px,1px)", true},
    {"position:absolute;clip:rect(0px, 0px, 0px, 0px)", true},
    {"clip:rect(0,100px,20px,0)", false},
    {"clip:rect(auto,auto,auto,auto)", false},
    {"clip:auto", false},
    {"clip:rect(0,0,0,0);clip:auto", false},
    {"clip-path:inset(100%)", true},
    {"clip-path:inset(50%)", true},
    {"clip-path:inset(0 100% 0 0)", true},
    {"clip-path:inset(50% round 3px)", true},
    {"clip-path:inset(10%)", false},
    {"clip-path:inset(0 40% 0 40%)", false},
    {"clip-path:inset(10px)", false},
    {"clip-path:circle(0)", true},
    {"clip-path:circle(0px at 50% 50%)", true},
    {"clip-path:ellipse(0 10px)", true},
    {"clip-path:circle(50%)", false},
    {"clip-path:polygon(0 0, 0 0, 0 0, 0 0)", true},
    {"clip-path:polygon(0 0, 100% 0, 100% 100%)", false},
    {"clip-path:none", false},
    {"clip-path:url(#x)", false},
    {"visibility:collapse", true},
    {"visibility:visible", false},
};

std::string shown(std::string_view style, Compat compat) {
  const std::string html = "<p>a<b style='" + std::string(style) + "'>b</b></p>";
  return read_html(html, {}, compat).content;
}

TEST(BoxStyle, HidesSince4) {
  for (const Case& c : kCases) {
    EXPECT_EQ(shown(c.style, Compat::kRspamd4), c.hidden ? "a\n" : "ab\n") << c.style;
  }
}

TEST(BoxStyle, DoesNotHideIn3) {
  for (const Case& c : kCases) EXPECT_EQ(shown(c.style, Compat::kRspamd3), "ab\n") << c.style;
}

TEST(BoxStyle, IsPutTogetherFromSheetAndAttribute) {
  const auto of = [](std::string_view html) {
    return read_html(html, {}, Compat::kRspamd4).content;
  };
  constexpr std::string_view kSheet = "<style>.x{max-height:0} #y{overflow:hidden}</style>";
  EXPECT_EQ(of(std::string(kSheet) + "<p>a<b class=x id=y>b</b></p>"), "a\n");
  EXPECT_EQ(of(std::string(kSheet) + "<p>a<b class=x style='overflow:hidden'>b</b></p>"), "a\n");
  EXPECT_EQ(of(std::string(kSheet) + "<p>a<b class=x>b</b></p>"), "ab\n");
  EXPECT_EQ(of(std::string(kSheet) + "<p>a<b class=x id=y style='max-height:9px'>b</b></p>"),
            "ab\n");
}

}  // namespace
}  // namespace shingled::mime
