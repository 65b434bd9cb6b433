#include "mime/pieces/text_collector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "mime/fingerprint/mumhash.h"

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

/// All pieces, and how many were dropped.
std::string all_of(PieceList& pieces) {
  std::string out = std::to_string(pieces.dropped());
  for (const Piece& piece : pieces.take()) {
    out += "\n" + std::to_string(static_cast<unsigned>(piece.type)) + " " + text_of(piece);
  }
  return out;
}

TEST(TextCollector, FindsTheSameWhileAMessageIsHashed) {
  // Where a text quotes, its words are of more than it says itself.
  const std::string html =
      "<p>See <a href='http://a.example.org/x'>shop.example.org/y</a>, www.example.net\n"
      "or write to <b>bob@example.com</b>.</p><div style='display:none'>hidden.example.org</div>\n";
  const std::string html_quote = "<blockquote>http://q.example.org/</blockquote>\n";
  const std::string plain =
      "See http://one.example.org/a, bare.example.com and bob@example.com: http://two.example.\n"
      "org/b. Call +1 202 555 0143.\n\nKind regards, all of us\n"
      "______________________________\nlist.example.org\n";
  const std::string plain_quote = "\n> http://quoted.example.org\n";
  const auto both = [](const std::string& text, const std::string& markup) {
    return "Content-Type: multipart/alternative; boundary=b\n\n--b\n\n" + text +
           "\n--b\nContent-Type: text/html\n\n" + markup + "\n--b--\n";
  };
  const std::vector<std::string> messages = {
      "Subject: x\n\n" + plain,
      "Subject: x\n\n" + plain + plain_quote,
      "Subject: x\nContent-Type: text/html\n\n" + html,
      "Subject: x\nContent-Type: text/html\n\n" + html + html_quote,
      "Subject: x\n" + both(plain, html),  // the plain text is not searched for bare names
      "Subject: Re: x\nIn-Reply-To: <a@example.org>\n" +
          both(plain + plain_quote, html + html_quote),
      "Subject: x\nContent-Type: text/plain; charset=nonesuch\n\n\xE9t\xE9 "
      "http://z\xE2\x80\x8Bip.example.org/ " +
          plain,
      "Subject: x\nContent-Type: text/html\n\n\n",
  };
  for (const std::string& message : messages) {
    for (const std::size_t text_bytes_max : {std::size_t{50}, MimeOptions().text_bytes_max}) {
      MimeOptions bounds;
      bounds.text_bytes_max = text_bytes_max;
      const Analysis analysis = analyze(message, bounds);
      const PieceOptions options;
      WorkMeter meter(kStepsAMegabyte);
      TextCollector read(analysis, options, meter);
      read.add_all();
      TextCollector told(analysis, options, meter);
      hash_message(analysis, std::vector<HashRule>(1),
                   [&](std::size_t part, const TextStages& text) { told.add(part, text); });
      EXPECT_EQ(all_of(read.pieces()), all_of(told.pieces())) << message;
    }
  }
}

TEST(TextCollector, SearchesForLinksAloneIfNothingElseIsAsked) {
  constexpr std::string_view kText =
      "Subject: x\n\nPlease look at our wonderful catalogue of garden furniture, ladders and "
      "hoses\n"
      "before everything has gone: http://one.example.org/a or call +1 202 555 0143 today.\n";
  const Analysis analysis = analyze(kText, {});
  const PieceOptions options;
  for (const Searched searched : {Searched::kAll, Searched::kLinks}) {
    WorkMeter meter(kStepsAMegabyte);
    TextCollector texts(analysis, options, meter, searched);
    texts.add_all();
    const bool all = searched == Searched::kAll;
    EXPECT_EQ(hosts_of(texts.pieces()), "0 one.example.org");
    EXPECT_EQ(texts.pieces().of_type(PieceType::kPhone).empty(), !all);
    EXPECT_EQ(texts.pieces().of_type(PieceType::kPhrase).empty(), !all);
  }
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

/// Words "aXX" by number, which are no boilerplate.
std::string word(std::size_t i) {
  return {'q', static_cast<char>('a' + i / 26 % 26), static_cast<char>('a' + i % 26), 'x'};
}

WordList run(std::size_t begin, std::size_t count) {
  WordList out;
  for (std::size_t i = begin; i < begin + count; ++i) out.add(word(i));
  return out;
}

TEST(Phrases, AreEightWordsInARow) {
  EXPECT_TRUE(sample_phrases({}).own.empty());
  EXPECT_TRUE(sample_phrases(run(0, kPhraseWords - 1)).own.empty());
  const Phrases one = sample_phrases(run(0, kPhraseWords));
  EXPECT_EQ(one.own, std::vector<std::string>{"qaax qabx qacx qadx qaex qafx qagx qahx"});
  EXPECT_TRUE(one.notices.empty());
}

TEST(Phrases, AreAtMostEightDifferentOnes) {
  EXPECT_EQ(sample_phrases(run(0, kPhraseWords + 2)).own.size(), 3U);
  EXPECT_EQ(sample_phrases(run(0, 200)).own.size(), kPhrasesMax);
  WordList same;
  for (std::size_t i = 0; i < 100; ++i) same.add("same");
  EXPECT_EQ(sample_phrases(same).own.size(), 1U);
}

/// All phrases of one sort, by their hashes.
std::vector<std::string> smallest(std::map<std::uint64_t, std::string> all) {
  std::vector<std::string> out;
  for (auto& [hash, text] : all)
    if (out.size() < kPhrasesMax) out.push_back(std::move(text));
  return out;
}

TEST(Phrases, AreThoseWithTheSmallestHashes) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    WordList words;
    const std::size_t count = random() % 120;
    for (std::size_t i = 0; i < count; ++i)
      words.add(random() % 5 == 0 ? "newsletter" : word(random() % (round % 3 == 0 ? 3 : 500)));
    std::map<std::uint64_t, std::string> own;
    std::map<std::uint64_t, std::string> notices;
    for (std::size_t begin = 0; begin + kPhraseWords <= count; ++begin) {
      std::string glued;
      std::string text;
      std::size_t notice = 0;
      for (std::size_t i = begin; i < begin + kPhraseWords; ++i) {
        glued += words[i];
        text.append(text.empty() ? "" : " ").append(words[i]);
        notice += words[i] == "newsletter" ? 1U : 0U;
      }
      (notice >= kNoticeWordsOfPhrase ? notices : own)
          .emplace(fingerprint::mumhash(glued, 0), text);
    }
    const Phrases phrases = sample_phrases(words);
    ASSERT_EQ(phrases.own, smallest(own));
    ASSERT_EQ(phrases.notices, smallest(notices));
  }
}

TEST(Phrases, DoNotDependOnWhatIsAround) {
  const Phrases part = sample_phrases(run(0, 100));
  WordList more = run(300, 100);
  for (std::size_t i = 0; i < 100; ++i) more.add(word(i));
  const Phrases whole = sample_phrases(more);
  const std::set<std::string> known(part.own.begin(), part.own.end());
  const auto shared = std::ranges::count_if(
      whole.own, [&](const std::string& phrase) { return known.contains(phrase); });
  EXPECT_GT(shared, 0) << "half of all phrases are the same";
}

TEST(Phrases, OfNoticesAreApart) {
  WordList words;
  for (const char* notice : {"unsubscrlbe", "newsletter"}) words.add(notice);
  for (std::size_t i = 0; i < kPhraseWords - 1; ++i) words.add(word(i));
  const Phrases phrases = sample_phrases(words);
  EXPECT_EQ(phrases.notices.size(), 1U) << "two words of a notice";
  EXPECT_EQ(phrases.own.size(), 1U) << "one such word";
}

TEST(Phrases, OfPairsOfLettersAreLonger) {
  WordList words;
  for (std::size_t i = 0; i < kPhraseWordsDense - 1; ++i) words.add("\u4F60\u597D");
  EXPECT_TRUE(sample_phrases(words).own.empty());
  words.add("\u4F60\u597D");
  EXPECT_EQ(sample_phrases(words).own.size(), 1U);
}

TEST(ShortText, IsThereInsteadOfPhrases) {
  EXPECT_EQ(short_text(run(0, 4)), "qaax qabx qacx qadx");
  EXPECT_EQ(short_text(run(0, 3)), "") << "fewer than 16 bytes";
  EXPECT_EQ(short_text(run(0, 2)), "");
  EXPECT_EQ(short_text({}), "");
  EXPECT_FALSE(short_text(run(0, kPhraseWords - 1)).empty());
  EXPECT_EQ(short_text(run(0, kPhraseWords)), "");
}

}  // namespace
}  // namespace shingled::mime
