#include "mime/html/html_to_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

struct Case {
  std::string_view why;
  std::string_view html;
  std::string_view expected;
};

void expect_all(const std::vector<Case>& cases, Compat compat) {
  for (const Case& c : cases) {
    EXPECT_EQ(read_html(c.html, {}, compat).content, c.expected) << c.why << ": " << c.html;
  }
}

// All expectations were read from a live rspamd 3.4.

TEST(Tokenizer, SeesMarkupWhereRspamdDoes) {
  expect_all(
      {
          {"only a letter starts a tag", "text & more < x", "text & more < x"},
          {"</ and no letter is text", "<p>l</>m<>n< b>o", "l</>m<>n< b>o\n"},
          {"a comment vanishes", "<p>a<!-- x -- y --->b<b>c</b>", "abc\n"},
          {"an empty comment does not move the print", "<p>a<!-->b<b>c</b>d</p>", "aa<!-->bcd\n"},
          {"<!-x> ends at its >, too", "<p>a<!-x>b<b>c</b></p>", "aa<!-x>bc\n"},
          {"brackets balance", "<p>a<![x[y]b]c>d<i>e</i></p>", "ade\n"},
          {"a slash does not keep markup from being some", "<p>a</!--x <b>y</b> -->b</?x?>c</p>",
           "abc\n"},
          {"an instruction ends at ?>", "<p>a<?x?>b</p>", "ab\n"},
          {"one without ? is printed", "<p>a<?x>b<b>c</b></p>", "aa<?x>bc\n"},
          {"a > in quotes does not end the tag", "<p title='a > b'>c</p>", "c\n"},
          {"unless the quote stays open", "<p a=\"b>c", "c\n"},
          {"an open comment eats the rest", "<p>a</p>b<!-- c <p>d</p>", "a\n"},
          {"so does an open tag", "<p>a<b>end <a href=\"x", "a\n"},
          {"< at the end is text", "<p>a <", "a <\n"},
          {"script is raw", "<p>a<script>if (a<b) x();</script>b</p>", "ab\n"},
          {"NUL is replaced", std::string_view("<p>a\0b</p>", 10),
           "a\xEF\xBF\xBD"
           "b\n"},
      },
      Compat::kRspamd3);
}

TEST(Tree, NestsAndClosesAsRspamd3) {
  expect_all(
      {
          {"no implied end tags", "<li>a<li>b", "ab"},
          {"<p/> stays open, <p /> does not", "<div>a<p/>b<p />c</div>", "a\nb\nc\n"},
          {"closing out of order closes everything", "<a href=x>one <b>two</a> three</b> four",
           "one two three"},
          {"an unmatched closing tag has margins", "<li>p</ul> r<b>s</b>", "p\nrs"},
          {"but not outside of all elements", "p</ul> r<b>s</b>", "p rs"},
          {"text behind the root needs a later child", "<html><p>a</p></html>t<p>b</p>u",
           "a\nt\nb\n"},
          {"the head is not printed", "<head>x<title>y</title></head>z<p>q", "z\nq\n"},
          {"the head ends at its first foreign element", "<html><head>a<p>b</p></head><body>c",
           "b\nc"},
          {"a doctype ends all hope of a head", "<!x><head>f<b>t</b>g</head>h", "ftgh"},
          {"and so does a comment", "<!-- x --><head>f<b>t</b>g</head>h", "ftgh"},
          {"a late head is printed", "<p>a</p><head><b>x</b></head>y<p>r</p>", "a\nxy\nr\n"},
      },
      Compat::kRspamd3);
}

TEST(Tree, StopsAtTheMatchSince4) {
  expect_all(
      {{"the root stays open", "<a href=x>one <b>two</a> three</b> four", "one two three four"}},
      Compat::kRspamd4);
}

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

TEST(Styles, HideOwnTextOnlyInBoth) {
  const std::vector<Case> cases = {
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

TEST(Tokenizer, LowersTheFirstLetterOfAnUnquotedValueIn3) {
  constexpr std::string_view kHtml = "<p><img alt=Simply.Com></p>";
  EXPECT_EQ(read_html(kHtml, {}, Compat::kRspamd3).content, "simply.Com\n");
  EXPECT_EQ(read_html(kHtml, {}, Compat::kRspamd4).content, "Simply.Com\n");
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
