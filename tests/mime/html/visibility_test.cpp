// Covers mime/html/style_sheet.cpp, mime/html/css_values.cpp, mime/html/css_tokenizer.cpp,
// mime/html/css_color.cpp: styles.
#include "mime/html/visibility.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/mime/html/html_cases.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

TEST(Styles, HideText) {
  expect_all(
      {
          {"display none hides its own text only", "<div style='display:none'>x<b>y</b></div>z<b>q",
           "yzq"},
          {"size 0, whole pixels", "<p>a<b style='font-size:.9px'>b</b></p>", "a\n"},
          {"percent of percent", "<html><p style='font-size:50%'>x<b style='font-size:1%'>1</b>",
           "x\n"},
          {"white on white leaves spaces", "<p>a<b style='color:#fff'>bc</b>d</p>", "a  d\n"},
          {"the first value stays", "<p>a<b style='display:none;display:block'>b</b>", "a\n"},
          {"an empty declaration swallows the next", "a<b style=';display:none'>b</b>", "ab"},
          {"a named attribute color beats style", "a<font color=white style='color:red'>b</font>c",
           "a c"},
          {"sheets",
           "<style>.x,#i{color:red;display:none}</style><p>a</p><p class=x>b</p><p id=i>c", "a\n"},
          {"one simple selector at a time", "<style>.y .x{display:none}</style><p class=x>b</p>",
           "b\n"},
          {"a stray brace ends the sheet", "<style>}.x{display:none}</style><p class=x>b</p>",
           "b\n"},
          {"style stays over a sheet",
           "<style>b{display:none}</style><b style='display:inline'>c</b>", "c"},
      },
      Compat::kRspamd3);
}

TEST(Styles, KnowColoursByHue) {
  for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
    expect_all(
        {
            {"transparent", "a<b style='color:hsla(0,100%,50%,0)'>b</b>", "a"},
            {"white", "a<b style='color:hsl(0,0%,100%)'>b</b>", "a"},
            {"white by any hue", "a<b style='color:hsl(200,50%,100%)'>b</b>", "a"},
            {"red is read", "a<b style='color:hsl(0,100%,50%)'>b</b>", "ab"},
            {"green, too", "a<b style='color:hsl(120,100%,25%)'>b</b>", "ab"},
            {"blue, too", "a<b style='color:hsl(240,100%,50%)'>b</b>", "ab"},
            {"black, too", "a<b style='color:hsl(0,0%,0%)'>b</b>", "ab"},
            {"white on black", "<div style='background:hsl(0,0%,0%)'><b style='color:#fff'>b</b>",
             "b"},
            {"white on white", "<div style='background:hsl(0,0%,100%)'><b style='color:#fff'>b</b>",
             "\n"},
            {"a hue beyond the circle", "a<b style='color:hsl(-120,100%,50%)'>b</b>", "ab"},
            {"too few values are no colour", "a<b style='color:hsl(0,0%)'>b</b>", "ab"},
        },
        compat);
  }
}

TEST(Styles, HideOwnTextOnlyInBoth) {
  const std::vector<HtmlCase> cases = {
      {"display none, as 4.1.6 was seen to print it, too",
       "<p>a</p><div style='display:none'>x<p>y</p></div>z", "a\ny\nz"},
  };
  expect_all(cases, Compat::kRspamd3);
  expect_all(cases, Compat::kRspamd4);
}

TEST(Styles, HideMoreSince4) {
  expect_all(
      {
          {"three pixels", "<p>a<b style='font-size:3px'>b</b><i style='font-size:4px'>c</i>",
           "ac\n"},
          {"opacity", "<p>a<b style='opacity:0.09'>b</b><i style='opacity:.1'>d</i>", "ad\n"},
          {"the last value wins", "<p>a<b style='display:none;display:inline'>b</b>", "ab\n"},
      },
      Compat::kRspamd4);
}

}  // namespace
}  // namespace shingled::mime
