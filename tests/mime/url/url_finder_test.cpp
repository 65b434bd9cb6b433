// Covers mime/url/web_url.cpp, mime/url/host_name.cpp: URLs in texts.
#include "mime/url/url_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/mime/unmetered.h"
#include "tests/mime/vectors.h"

namespace shingled::mime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> urls_in(std::string_view text, UrlMode mode = UrlMode::kFull,
                                 Compat compat = Compat::kRspamd3,
                                 std::vector<std::uint32_t> line_starts = {}) {
  std::vector<std::string> urls;
  for (const UrlSpan& span : all_urls(text, line_starts, mode, compat)) {
    urls.emplace_back(text.substr(span.offset, span.length));
  }
  return urls;
}

struct Case {
  const char* why;
  const char* text;
  std::vector<std::string> urls;
};

const Case kCases[] = {
    {"a URL ends at white space", "see http://example.com/a,b. now", {"http://example.com/a,b."}},
    {"or at a closing bracket", "(http://example.com/a)", {"http://example.com/a"}},
    {"a name needs a public suffix", "read README.txt at example.com", {"example.com"}},
    {"followed by space or path, not by a comma",
     "example.com, or example.org/x",
     {"example.org/x"}},
    {"a top level is no name", "the com or .com or .net", {}},
    {"user and port are part",
     "http://me:pw@example.com:8080/",
     {"http://me:pw@example.com:8080/"}},
    {"no such port", "http://example.com:99999/", {}},
    {"one slash is a mistake", "http:/example.com", {}},
    {"three are none", "http:///example.com", {"http:///example.com"}},
    {"the host must be able to exist", "http://localhost/ http://a.invalidtldx/", {}},
    {"an address is a host",
     "http://127.1/ http://[::1]/ http://0x7f000001/",
     {"http://127.1/", "http://[::1]/", "http://0x7f000001/"}},
    {"an address out of range is not a URL", "http://300.1.1.1/", {}},
    {"www. needs room in front", "awww.example.com, www.example.com", {"www.example.com"}},
    {"a mail address", "write to <joe.doe@example.com>, please", {"joe.doe@example.com"}},
    {"not without a domain", "a@b and @handle and x@", {}},
    {"mailto is found once",
     "mailto:joe@example.com?subject=hi, and",
     {"mailto:joe@example.com?subject=hi,"}},
    {"other schemes are not", "news://example.com/x sip:example.com", {}},
    {"za has suffixes below it only", "see shop.co.za now", {"shop.co.za"}},
    {"initials are no name", "it is l.m. orchard's", {}},
    {"a bare name has no query",
     "on example.org? Or example.org?x=1 at example.org/?x",
     {"example.org/?x"}},
    {"but a URL may", "http://example.org?x=1", {"http://example.org?x=1"}},
    {"any character is the dot of a country's suffix",
     "I am Mr.Eduado or a@x.comado in x.comxzz",
     {"Mr.Eduado", "a@x.comado"}},
    {"but not below a country that has none of its own", "see call.trackingCallback", {}},
    {"what stands before an @ is a user, and a space in it spoils it",
     "http://example.com or a@example.org",
     {"a@example.org"}},
    {"unless the host ends before", "http://example.com/ or @", {"http://example.com/"}},
    {"or there is no scheme", "www.example.com or @", {"www.example.com"}},
    {"or a user is there already", "http://u@example.com or @", {"http://u@example.com"}},
    {"a file is not a web URL", "file://www.example.com/x file:\\\\www.example.com", {}},
};

TEST(UrlFinder, FindsWhatRspamdTakesForUrls) {
  for (const Case& c : kCases) EXPECT_EQ(urls_in(c.text), c.urls) << c.why;
}

TEST(UrlFinder, KnowsNoBareNamesInStrictMode) {
  EXPECT_THAT(urls_in("see example.com or www.example.org", UrlMode::kStrict),
              ElementsAre("www.example.org"));
}

TEST(UrlFinder, StopsAtTheEndOfALineUnlessInAngles) {
  const std::string text = "http://example.com/longpath <http://example.com/longpath>";
  EXPECT_THAT(urls_in(text, UrlMode::kStrict, Compat::kRspamd3, {23, 52}),
              ElementsAre("http://example.com/long", "http://example.com/longpath"));
}

TEST(UrlFinder, ReadsAnAddressInBracketsAsLongAsAHostMayBe) {
  const std::string address = "1:2:3:4:5:6:7:8";
  EXPECT_THAT(urls_in("http://[" + address + "]/x"), ElementsAre("http://[" + address + "]/x"));
  EXPECT_THAT(urls_in("http://[" + std::string(300, '1') + "]/x"), IsEmpty());
}

TEST(UrlFinder, TakesSingleLabelsAsRspamd4Does) {
  EXPECT_THAT(urls_in("http://intranet/x"), IsEmpty());
  EXPECT_THAT(urls_in("if you used ftp.", UrlMode::kFull, Compat::kRspamd4), ElementsAre("ftp."))
      << "a single label, the dot that ends a sentence included";
  EXPECT_THAT(urls_in("http://intranet/x", UrlMode::kFull, Compat::kRspamd4),
              ElementsAre("http://intranet/x"));
}

TEST(UrlFinder, TakesUsersOfMailAddressesUpTo65Bytes) {
  for (const std::string prefix : {"", "mailto:"}) {
    EXPECT_EQ(urls_in(prefix + std::string(65, 'u') + "@example.com").size(), 1U) << prefix;
    EXPECT_EQ(urls_in(prefix + std::string(66, 'u') + "@example.com").size(), 0U) << prefix;
  }
}

// A bare CR ends a line without a space: what lies behind it is no host.
TEST(UrlFinder, TakesNoHostFromTheNextLine) {
  EXPECT_THAT(urls_in("a@example.com", UrlMode::kStrict, Compat::kRspamd4, {2}), IsEmpty());
  EXPECT_THAT(urls_in("see a@b.com", UrlMode::kFull, Compat::kRspamd4, {4}),
              ElementsAre("a@b.com"));
}

// Each would cost the square of its length in a finder that looks ahead from each match.
TEST(UrlFinder, IsLinearInHostileText) {
  for (const std::string piece : {"http:a.b/", "http://", "a@b.", "www.", "mailto:a@b.c?", "x.com.",
                                  "tel:1", "<http:a.b/", "http:a.b ", "http://[", "http:"}) {
    std::string text;
    while (text.size() < 512 * 1024) text += piece;
    text += "> ";
    EXPECT_LE(urls_in(text).size(), text.size());
  }
}

bool begins(std::string_view text, Compat compat) {
  WorkMeter meter(UINT64_MAX);
  return begins_with_url(text, compat, meter);
}

/// What begins_with_url() asks, by looking at all of the text.
bool begins_by_finding(std::string_view text, Compat compat) {
  const auto spans = all_urls(text, {}, UrlMode::kFull, compat);
  return !spans.empty() && spans.front().offset == 0;
}

struct Answers {
  std::size_t yes = 0;
  std::vector<std::string> wrong;
};

void compare(std::string_view text, Answers& answers) {
  for (const Compat compat : {Compat::kRspamd3, Compat::kRspamd4}) {
    const bool answer = begins(text, compat);
    answers.yes += answer ? 1 : 0;
    if (answer != begins_by_finding(text, compat)) answers.wrong.emplace_back(text.substr(0, 200));
  }
}

// Pieces that begin, end and spoil URLs; the seed is fixed.
TEST(BeginsWithUrl, AgreesWithTheFinderOnRandomText) {
  const std::string_view pieces[] = {
      "http://",  "https:", "http:", "ftp://", "sftp://", "www.", "ftp.",     "mailto:",  "tel:",
      "callto:+", "a",      "b1",    "-",      "_",       "%41",  "\xc3\xa9", ".com",     ".de.",
      ".",        "co.uk",  "a.com", "x.org",  "1.2.3.4", "@",    "a@b.de",   "user:pw@", ":",
      ":80",      ":99999", "/",     "//",     "\\",      "?",    "#",        " ",        "  ",
      ">",        "<",      "(",     ")",      "'",       "[",    "]",        "{",        "}",
      ",",        ";",      "[::1]", "\"",     "|",       "\xff", "+",        "comado",   "za"};
  std::mt19937 random(1);
  const auto draw = [&random](std::size_t count) { return random() % count; };
  Answers answers;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (std::size_t count = 1 + draw(8); count > 0; --count)
      text += pieces[draw(std::size(pieces))];
    compare(text, answers);
  }
  EXPECT_THAT(answers.wrong, IsEmpty());
  EXPECT_GT(answers.yes, 10'000U);
}

TEST(BeginsWithUrl, AgreesWithTheFinderOnLongPieces) {
  std::mt19937 random(2);
  const auto draw = [&random](std::size_t count) { return random() % count; };
  const std::string_view starts[] = {
      "http://", "www.", "ftp.", "mailto:", "", "a@", "u:", "x.com/"};
  const std::string_view repeated[] = {"a",  "a.", ".a",       "-ftp.", "(www.",
                                       "a-", "/",  "\xc3\xa9", "@",     "a'b."};
  const std::string_view ends[] = {"",    ".com", "@a.com", ".com/x", ".com> ",
                                   ":80", " ",    ".com'",  "@"};
  Answers answers;
  for (int i = 0; i < 20'000; ++i) {
    std::string text(starts[draw(std::size(starts))]);
    const std::string_view piece = repeated[draw(std::size(repeated))];
    for (std::size_t bytes = draw(700); bytes > piece.size(); bytes -= piece.size()) text += piece;
    text += ends[draw(std::size(ends))];
    compare(text, answers);
  }
  EXPECT_THAT(answers.wrong, IsEmpty());
  EXPECT_GT(answers.yes, 100U);
}

// From each word of real mail as far as a link may print.
TEST(BeginsWithUrl, AgreesWithTheFinderOnRealMail) {
  SHINGLED_LOAD_VECTORS(words, "words.json");
  constexpr std::size_t kPrintedBytesMax = 6000;
  Answers answers;
  for (const auto& [file, mail] : words["mails"].items()) {
    for (const auto& part : mail["parts"]) {
      if (!part.contains("oneline")) continue;
      const std::string line = part["oneline"];
      const std::size_t step = std::max<std::size_t>(1, line.size() / 2000);
      for (std::size_t at = 0; at < line.size(); at += step) {
        if (at > 0 && line[at - 1] != ' ' && step == 1) continue;
        compare(std::string_view(line).substr(at, kPrintedBytesMax), answers);
      }
    }
  }
  EXPECT_THAT(answers.wrong, IsEmpty());
  EXPECT_GT(answers.yes, 100U);
}

TEST(BeginsWithUrl, LooksAtABoundedNumberOfBytes) {
  const std::string url = "http://example.com";
  const std::string far(kUrlStartBytesMax, ' ');
  EXPECT_TRUE(begins(url + far, Compat::kRspamd4));
  EXPECT_TRUE(begins(url + far + "@", Compat::kRspamd4)) << "the user is too long";
  EXPECT_FALSE(begins(url + " @", Compat::kRspamd4));
}

}  // namespace
}  // namespace shingled::mime
