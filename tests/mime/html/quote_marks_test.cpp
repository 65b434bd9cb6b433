// Covers mime/html/quote_marks.cpp.
#include "mime/html/quote_marks.h"

#include <gtest/gtest.h>

#include <string>

#include "mime/html/html_to_text.h"
#include "tests/mime/unmetered.h"

namespace shingled::mime {
namespace {

HtmlText read(const std::string& html) { return read_html(html, {}, Compat::kRspamd4); }

/// The text outside what its elements quote; line breaks are blanks.
std::string own_of(const std::string& html) {
  const HtmlText text = read(html);
  const std::string& seen = text.seen ? *text.seen : text.content;
  std::string out;
  std::size_t at = 0;
  for (const TextSpan& span : text.quotes.spans) {
    out += seen.substr(at, span.begin - at) + ' ';
    at = span.end;
  }
  out += seen.substr(at);
  std::string spaced;
  for (const char c : out) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank) spaced += c;
    if (blank && !spaced.empty() && spaced.back() != ' ') spaced += ' ';
  }
  while (spaced.ends_with(' ')) spaced.pop_back();
  return spaced;
}

TEST(QuoteMarks, KnowTheElementsOfMailPrograms) {
  struct Case {
    const char* html;
    const char* expected;
    const char* why;
  };
  constexpr Case kCases[] = {
      {"<p>no</p><blockquote>buy</blockquote><p>bye</p>", "no bye", "an answer below"},
      {"<p>no</p><blockquote type=cite>a<blockquote>b</blockquote>c</blockquote>bye", "no bye",
       "one in another"},
      {"no<blockquote style='border: none'>and</blockquote>bye", "no and bye", "it only indents"},
      {"no<blockquote type=cite style='border:none'>buy</blockquote>bye", "no bye", "it quotes"},
      {"no<div class=\"gmail_quote gmail_quote_container\"><div class=gmail_attr>On 5 May A "
       "wrote:</div><blockquote class=gmail_quote>buy</blockquote></div>bye",
       "no bye", "Gmail"},
      {"no<div class=moz-cite-prefix>A wrote:</div><blockquote type=cite>buy</blockquote>", "no",
       "Thunderbird"},
      {"no<div id=appendonsend></div><hr><div id=divRplyFwdMsg>From: A</div><div>buy</div>", "no",
       "Outlook"},
      {"no<div id=x_x_divRplyFwdMsg>From: A</div><div>buy</div>", "no", "renamed in a reply"},
      {"no<div><div id=mail-editor-reference-message-container>buy</div></div>bye", "no bye",
       "Outlook for phones"},
      {"no<div id=yahoo_quoted_1234 class=yahoo_quoted>buy</div>", "no", "Yahoo"},
      {"no<div class=protonmail_quote>buy</div>", "no", "Proton"},
      {"no<p id=reply-intro>On 5 May A wrote:</p><blockquote>buy</blockquote>", "no", "Roundcube"},
      {"no<div class=quote>and</div>", "no and", "any page has such a class"},
      {"no<blockquote>buy", "no", "one that is never closed"},
      {"no</blockquote>and", "noand", "one that was never opened"},
      {"<blockquote>buy</blockquote>", "", "nothing else"},
  };
  for (const Case& c : kCases) EXPECT_EQ(own_of(c.html), c.expected) << c.why;
}

TEST(QuoteMarks, KnowWhoseWordsTheyAre) {
  EXPECT_TRUE(
      read("a<div class=gmail_attr>A wrote:</div><blockquote>b</blockquote>").quotes.sourced);
  EXPECT_TRUE(read("a<div id=divRplyFwdMsg>From: A</div>b").quotes.sourced);
  EXPECT_FALSE(read("a<div class=gmail_attr> </div><blockquote>b</blockquote>").quotes.sourced)
      << "nobody sees it";
  EXPECT_FALSE(read("a<div class=gmail_attr style='display:none'>A wrote:</div>b").quotes.sourced);
  EXPECT_FALSE(read("a<blockquote>b</blockquote>").quotes.sourced);
}

TEST(QuoteMarks, TellElementsApart) {
  const HtmlText text = read(
      "<a href=http://own.example/>own</a><blockquote><a href=http://quoted.example/>q</a>"
      "</blockquote><a href=http://own2.example/>own</a>"
      "<div id=appendonsend></div><a href=http://rest.example/>r</a>");
  ASSERT_EQ(text.quotes.elements.size(), text.elements.size());
  ASSERT_EQ(text.quotes.places.size(), text.elements.size());
  std::string quoted;
  for (std::size_t i = 0; i < text.elements.size(); ++i) {
    if (text.elements[i].url.empty()) continue;
    quoted += text.quotes.elements[i] ? 'q' : '-';
  }
  EXPECT_EQ(quoted, "-q-q");
}

TEST(QuoteMarks, TellHiddenTextApart) {
  const HtmlText text = read(
      "own<span style='display:none'>mine</span><blockquote>b<span style='display:none'>theirs"
      "</span></blockquote>");
  std::string own;
  for (std::size_t i = 0; i < text.quotes.hidden.size(); ++i) {
    const HiddenRun& run = text.quotes.hidden[i];
    const std::size_t end =
        i + 1 < text.quotes.hidden.size() ? text.quotes.hidden[i + 1].begin : text.hidden.size();
    own += (run.quoted ? "q:" : "o:") + text.hidden.substr(run.begin, end - run.begin) + ";";
  }
  EXPECT_EQ(own, "o:mine ;q:theirs;");
}

TEST(QuoteMarks, TellTitlesApart) {
  const HtmlText text = read(
      "<html><head><title>mine</title></head><body>own<blockquote><html><head><title>theirs</title>"
      "</head><body>b</body></html></blockquote></body></html>");
  ASSERT_EQ(text.quotes.hidden.size(), 2U);
  EXPECT_FALSE(text.quotes.hidden[0].quoted);
  EXPECT_TRUE(text.quotes.hidden[1].quoted);
  EXPECT_EQ(text.hidden.substr(text.quotes.hidden[1].begin), " theirs");

  const HtmlText below = read("<p>own</p><p>From: A</p><html><head><title>theirs</title></head>b");
  ASSERT_EQ(below.quotes.hidden.size(), 1U);
  EXPECT_GE(below.quotes.hidden[0].place, below.content.find("From"));
}

TEST(QuoteMarks, AreNotReadForTheCompatibleHashes) {
  WorkMeter meter(UINT64_MAX);
  const HtmlText text =
      html_to_text("a<blockquote>b</blockquote>", {}, Compat::kRspamd4, meter, Views::kRspamd);
  EXPECT_TRUE(text.quotes.spans.empty());
  EXPECT_EQ(text.content, read("a<blockquote>b</blockquote>").content);
}

}  // namespace
}  // namespace shingled::mime
