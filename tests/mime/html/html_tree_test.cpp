// Covers mime/html/html_tokenizer.cpp: where markup begins and ends, and how it nests.
#include "mime/html/html_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/mime/html/html_cases.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

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

TEST(Tokenizer, LowersTheFirstLetterOfAnUnquotedValueIn3) {
  constexpr std::string_view kHtml = "<p><img alt=Simply.Com></p>";
  EXPECT_EQ(read_html(kHtml, {}, Compat::kRspamd3).content, "simply.Com\n");
  EXPECT_EQ(read_html(kHtml, {}, Compat::kRspamd4).content, "Simply.Com\n");
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

}  // namespace
}  // namespace shingled::mime
