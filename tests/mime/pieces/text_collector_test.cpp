#include "mime/pieces/text_collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace shingled::mime {
namespace {

constexpr std::string_view kMessage =
    "From: a@example.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n"
    "--x\nContent-Type: text/plain\n\nhttp://body.example.org/\n"
    "--x\nContent-Type: text/html\n\n<a href=\"http://foot&#101;r.example.org/a\">x</a>\n--x--\n";

constexpr std::string_view kInvitation =
    "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nDESCRIPTION:see http://one.exam\n"
    " ple.org/\\nor call +1 202 555 0143\nURL:https://two.example.org/\n"
    "ORGANIZER:mailto:Ann@example.net\nX-ALT-DESC:<a href=\"http://three.example.org/\">x</a>\n"
    "END:VCALENDAR\n";

std::string hosts_of(const PieceList& pieces) {
  std::string out = std::to_string(pieces.dropped());
  for (const std::string_view host : pieces.of_type(PieceType::kLinkHost)) {
    out += " " + std::string(host);
  }
  return out;
}

class TextCollectorTest : public ::testing::TestWithParam<bool> {
 protected:
  /// By itself, or while the message is hashed.
  static std::string hosts(std::uint32_t texts_max, Steps steps = UINT64_MAX) {
    const Analysis analysis = analyze(kMessage, {});
    PieceOptions options;
    options.texts_max = texts_max;
    WorkMeter meter(steps);
    TextCollector texts(analysis, options, meter);
    const std::vector<HashRule> rules(1);
    if (GetParam()) {
      hash_message(analysis, rules,
                   [&](std::size_t part, const TextStages& text) { texts.add(part, text); });
    } else {
      texts.add_all();
    }
    return hosts_of(texts.pieces());
  }
};

TEST_P(TextCollectorTest, TakesTheBodyFirst) {
  EXPECT_EQ(hosts(8), "0 body.example.org footer.example.org");
  EXPECT_EQ(hosts(1), "1 body.example.org");
}

TEST_P(TextCollectorTest, EndsWithTheWork) {
  EXPECT_EQ(hosts(8, 1).find("example"), std::string::npos);
  EXPECT_NE(hosts(8, 1).front(), '0');
}

TEST(TextCollector, TakesPhrasesThatNoReaderSees) {
  const Analysis analysis = analyze(
      "From: a@example.org\nMIME-Version: 1.0\nContent-Type: text/html\n\n"
      "<html><head><title>one silent goose flies over this frozen lake</title></head>"
      "<body>x</body></html>\n",
      {});
  const PieceOptions options;
  WorkMeter meter(UINT64_MAX);
  TextCollector texts(analysis, options, meter);
  texts.add_all();
  EXPECT_EQ(texts.pieces().of_type(PieceType::kHiddenPhrase).size(), 1U);
  EXPECT_TRUE(texts.pieces().of_type(PieceType::kPhrase).empty());
}

/// Hosts of links and phrases that have the word "quoted", of an HTML text with this header.
std::string named_by(const std::string& header, const std::string& body) {
  const std::string message = header + "Content-Type: text/html\n\n" + body;
  const Analysis analysis = analyze(message, {});
  const PieceOptions options;
  WorkMeter meter(UINT64_MAX);
  TextCollector texts(analysis, options, meter);
  texts.add_all();
  std::string out = hosts_of(texts.pieces());
  for (const PieceType type : {PieceType::kPhrase, PieceType::kHiddenPhrase}) {
    const auto phrases = texts.pieces().of_type(type);
    const bool quoted = std::ranges::any_of(phrases, [](std::string_view phrase) {
      return phrase.find("quoted") != std::string_view::npos;
    });
    out += quoted ? " quoted" : phrases.empty() ? " none" : " own";
  }
  return out + (texts.quotes() ? " quotes" : "");
}

TEST(TextCollector, TakesOnlyWhatTheMessageSaysItself) {
  const std::string quote =
      "<div class=moz-cite-prefix>On 5 May Ann wrote:</div><blockquote type=cite>these quoted "
      "words "
      "were written by another person than this one <a href=http://quoted.example/>x</a><i hidden>"
      "hidden quoted words were hidden by the other person as well</i></blockquote>";
  const std::string own =
      "<p>nobody here has ever ordered such a strange thing from you <a href=http://own.example/>x"
      "</a><i hidden>hidden words of mine for filters alone and for nobody else</i></p>";
  const std::string answer = "In-Reply-To: <a@example.org>\n";
  EXPECT_EQ(named_by(answer, own + quote), "0 own.example own own quotes");
  EXPECT_EQ(named_by("", own + quote), "0 own.example own own quotes") << "a forward";
  EXPECT_EQ(named_by(answer, quote), "0 quoted.example quoted quoted") << "the quote is the body";
  EXPECT_EQ(named_by("", "thanks" + quote), "0 quoted.example none quoted") << "of a stranger";
  EXPECT_EQ(named_by(answer, "thanks" + quote), "0 none none quotes");
  const std::string again = own + "<a href=http://quoted.example/>x</a>" + quote;
  EXPECT_EQ(named_by(answer, again), "0 own.example quoted.example own own quotes")
      << "a link that is in both is its own";
}

TEST(TextCollector, TakesAFewPhrasesOfQuotesApart) {
  const auto phrases_of = [](const std::string& message) {
    const Analysis analysis = analyze(message, {});
    const PieceOptions options;
    WorkMeter meter(UINT64_MAX);
    TextCollector texts(analysis, options, meter);
    texts.add_all();
    std::vector<std::string> out;
    for (const std::string_view phrase : texts.pieces().of_type(PieceType::kQuotedPhrase)) {
      out.emplace_back(phrase);
    }
    return out;
  };
  const std::string quote =
      "\n\nOn 5 May Ann wrote:\n> a goose and a heron flew over our frozen lake while the sun "
      "rose\n> behind two old windmills and somebody sang about his lost brown hat\n";
  const std::string answer = "In-Reply-To: <a@example.org>\n\n";
  const auto first = phrases_of(answer + "no" + quote);
  EXPECT_EQ(first.size(), kQuotedPhrasesOfTextMax);
  EXPECT_EQ(phrases_of(answer + "nobody here has ever seen such a lake" + quote), first);
  EXPECT_TRUE(phrases_of(answer + quote).empty()) << "the quote is the body";
}

TEST(TextCollector, TakesNothingOfAttachedMessages) {
  const Analysis analysis = analyze(
      "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: "
      "text/plain\n\nhttp://own.example.org/\n--x\nContent-Type: message/rfc822\n\nSubject: a\n\n"
      "http://other.example.org/\n--x--\n",
      {});
  const PieceOptions options;
  WorkMeter meter(UINT64_MAX);
  TextCollector texts(analysis, options, meter);
  texts.add_all();
  EXPECT_EQ(hosts_of(texts.pieces()), "0 own.example.org");
}

INSTANTIATE_TEST_SUITE_P(Both, TextCollectorTest, ::testing::Bool());

TEST(TextCollector, ReadsInvitations) {
  const Analysis analysis = analyze(kInvitation, {});
  const PieceOptions options;
  WorkMeter meter(UINT64_MAX);
  TextCollector texts(analysis, options, meter);
  texts.add_all();
  EXPECT_EQ(hosts_of(texts.pieces()), "0 one.example.org three.example.org two.example.org");
  const auto phones = texts.pieces().of_type(PieceType::kPhone);
  EXPECT_EQ(phones.size(), 1U);
  const auto addresses = texts.pieces().of_type(PieceType::kAddress);
  ASSERT_EQ(addresses.size(), 1U);
  EXPECT_EQ(*addresses.begin(), "ann@example.net");
}

}  // namespace
}  // namespace shingled::mime
