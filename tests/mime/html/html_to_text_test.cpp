// Covers mime/html/entities.cpp: printing, links, limits.
#include "mime/html/html_to_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/mime/html/html_cases.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

TEST(Printing, DecodesEntitiesAsRspamd) {
  expect_all(
      {
          {"nbsp is a space", "<b>a</b>&nbsp;&nbsp;b", "a  b"},
          {"decoded spaces at the end of a run are one", "<b>a</b>x&nbsp;&nbsp; <b>c</b>", "ax c"},
          {"legacy names need no semicolon", "&copy2024 &lt3",
           "\xC2\xA9"
           "2024 <3"},
          {"glued names are sought up to five letters", "fa&ccedilon x", "fa&ccedilon x"},
          {"unknown ones lose the semicolon", "a&b;c &foo; x", "a&bc &foo x"},
          {"numbers", "&#65; &#x41; &#65x &#X41;", "A A Ax A"},
          {"beyond Unicode", "&#1234567; &#0; &#xD800; x",
           "\xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD x"},
          {"an empty number vanishes", "a&#;b", "ab"},
          {"cut off at the end, with room: twice", "&lt;&lt;&lt;&bogus1", "<<<&bogus1&bogus1"},
          {"without room: once", "&bogus1", "&bogus1"},
      },
      Compat::kRspamd3);
}

TEST(Printing, PutsMargins) {
  expect_all(
      {
          {"blocks are lines", "<div>a</div>b<div>c</div>", "a\nb\nc\n"},
          {"cells are words", "<table><tr><td>a</td><td>b</td></tr></table>", "a b\n"},
          {"br is always a newline", "a<br><br>b", "a\n\nb"},
          {"alt is a word", "a<img alt=x>b", "a x b"},
          {"3.4 does not know alt=\"\"", "a<img alt=\"\">b", "ab"},
      },
      Compat::kRspamd3);
}

TEST(Links, AreWhereTheyArePrinted) {
  const HtmlText text = read_html(
      "<p>see <a href='http://e.com/?a=1&amp;b'> www.e.com </a>, <a href=x>four</a>"
      "<a>no address</a> or<a href='http://e.com'> www.e.com</a></p>",
      {}, Compat::kRspamd3);
  const std::vector<LinkSpan> expected = {{4, 9, "http://e.com/?a=1&b"},
                                          {33, 9, "http://e.com", 1}};
  EXPECT_EQ(text.content, "see www.e.com , fourno address or www.e.com\n");
  EXPECT_EQ(text.links, expected);
}

TEST(Hidden, IsWhatNoReaderSees) {
  struct Case {
    const char* why;
    const char* html;
    const char* hidden;
  };
  for (const Case& c : std::vector<Case>{
           {"nothing", "<p>a</p>", ""},
           {"the title", "<head><title>a &amp; b</title></head><p>c", "a & b"},
           {"without a head, before what is hidden", "<p hidden>a</p><title>b</title>", "b a"},
           {"not closed", "<title>a", "a"},
           {"by a style", "<div style='display:none'>a<br>b</div>c", "a b"},
           {"by its size", "<font style='font-size:0'>a</font>c", "a"},
           {"by its colour", "<p style='color:#fff;background:#fff'>a</p>c", "a"},
           {"by a sheet", "<style>.x{display:none}</style><p class=x>a</p>c", "a"},
           {"a comment is no text", "<!-- a --><p>c<!-- b --></p>", ""},
           {"a sheet and a script are none", "<style>a</style><script>b</script>c", ""}}) {
    EXPECT_EQ(read_html(c.html, {}, Compat::kRspamd4).hidden, c.hidden) << c.why;
  }
}

TEST(Hidden, IsBounded) {
  const std::string html = "<title>abcd</title><p hidden>efgh</p>";
  EXPECT_EQ(read_html(html, {.hidden_bytes_max = 3}, Compat::kRspamd4).hidden, "abc");
  EXPECT_EQ(read_html(html, {.hidden_bytes_max = 7}, Compat::kRspamd4).hidden, "abcd efg");
  EXPECT_EQ(read_html(html, {.hidden_bytes_max = 0}, Compat::kRspamd4).hidden, "");
}

TEST(Limits, AreReported) {
  EXPECT_EQ(read_html("<p>abcdef", {.text_bytes_max = 3}, Compat::kRspamd4).content, "abc");
  EXPECT_TRUE(read_html("<p>abcdef", {.text_bytes_max = 3}, Compat::kRspamd4).truncated);
  EXPECT_TRUE(read_html("<p>abcdef", {.input_bytes_max = 3}, Compat::kRspamd4).truncated);
  EXPECT_FALSE(read_html("<p>abcdef", {}, Compat::kRspamd4).truncated);
}

TEST(Limits, TheRestBehindTooManyElementsIsText) {
  const HtmlText text =
      read_html("<html><b>1</b><b>2</b><b>3</b>", {.elements_max = 2}, Compat::kRspamd3);
  EXPECT_EQ(text.content, "12b>3</b>");
  EXPECT_TRUE(text.truncated);
}

// rspamd prints what stands before a broken instruction again behind it, so that text may be the
// square of its HTML: it ends at its bound, and is paid for as it grows.

TEST(Limits, RepeatedTextIsBoundedAndPaid) {
  const auto repeat = [](std::size_t count) {
    std::string html;
    while (count-- > 0) html += "a<?b>";
    return html;
  };
  const auto steps = [&](std::size_t count) {
    WorkMeter meter(UINT64_MAX);
    html_to_text(repeat(count), {}, Compat::kRspamd4, meter);
    return UINT64_MAX - meter.left();
  };
  EXPECT_GT(read_html(repeat(400), {}, Compat::kRspamd4).content.size(), 100 * repeat(400).size());
  EXPECT_LE(read_html(repeat(4000), {}, Compat::kRspamd4).content.size(),
            HtmlLimits{}.text_bytes_max);
  EXPECT_GT(steps(400), 3 * steps(200));

  WorkMeter meter(steps(200));
  EXPECT_LT(html_to_text(repeat(400), {}, Compat::kRspamd4, meter).content.size(),
            read_html(repeat(400), {}, Compat::kRspamd4).content.size());
  EXPECT_TRUE(meter.refused());
}

TEST(Limits, HostileInputsRunInOneGo) {
  constexpr std::size_t kCount = 20'000;
  for (const std::string_view piece : {"<div>",
                                       "<",
                                       "</p>",
                                       "<p a=\"",
                                       "<p a='b\" ",
                                       "&",
                                       "&#",
                                       "&lt",
                                       "<!--",
                                       "<![",
                                       "<p></b>",
                                       "<td style='color:red'>",
                                       "<style>.a{",
                                       "<style>.a{}</style>",
                                       "<p hidden a ",
                                       " ",
                                       "</!--",
                                       "<base href=x>",
                                       "<a href=http://a.b/>",
                                       "<b><i></b>"}) {
    std::string html;
    for (std::size_t i = 0; i < kCount; ++i) html += piece;
    for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
      EXPECT_LE(read_html(html, {}, compat).content.size(), html.size()) << piece;
    }
  }
}

}  // namespace
}  // namespace shingled::mime
