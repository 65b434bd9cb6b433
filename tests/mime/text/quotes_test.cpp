// Covers mime/text/quotes.cpp, mime/text/quote_lines.cpp.
#include "mime/text/quotes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "mime/text/quote_lines.h"

namespace shingled::mime {
namespace {

/// What is left, lines separated by "|", blanks and empty lines left out.
std::string own_of(std::string_view text, std::span<const TextSpan> known = {}) {
  const std::string own = without_spans(text, find_quotes(text, known).spans);
  std::string out;
  for (std::string_view rest = own; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (!line.empty() && line.back() <= ' ') line.remove_suffix(1);
    if (line.empty()) continue;
    if (!out.empty()) out += '|';
    out += line;
  }
  return out;
}

struct Case {
  const char* text;
  const char* expected;
  const char* why;
};

void check(std::span<const Case> cases) {
  for (const Case& c : cases) EXPECT_EQ(own_of(c.text), c.expected) << c.why;
}

TEST(Quotes, AreLinesMarkedWithASign) {
  constexpr Case kCases[] = {
      {"no\n> buy\n> now\n", "no", "marked lines"},
      {"> buy\nno\n> now\nthanks", "no|thanks", "answers between them"},
      {"no\n>buy\n>> now\n>\n> > roses", "no", "several levels, with and without a blank"},
      {"no\n  > buy", "no", "a few blanks before the mark"},
      {"no\n     > 4 is more than 3", "no|     > 4 is more than 3", "many are a table"},
      {"no\r\n> buy\r\nbye", "no|bye", "lines end with CRLF"},
      {"3 > 2", "3 > 2", "a sign in a line"},
      {"> buy", "", "nothing else"},
      {"", "", "an empty text"},
  };
  check(kCases);
}

TEST(Quotes, HaveTheLineAboveThemThatNamesTheirAuthor) {
  constexpr Case kCases[] = {
      {"no\n\nOn Mon, 5 May 2025 at 9:30 Ann <a@example.org> wrote:\n> buy", "no", "Gmail"},
      {"no\n\nOn Mon, 5 May 2025 at 9:30 Ann <a@example.org>\nwrote:\n\n> buy", "no", "wrapped"},
      {"no\n\nOn Mon, 5 May 2025 at 9:30 Ann Miller\n<a@example.org> wrote:\n> buy", "no",
       "wrapped before the address"},
      {"no\n\nAm 05.05.25 um 09:30 schrieb Ann:\n> buy", "no", "German"},
      {"no\n\nLe 5 mai 2025 \u00e0 09:30, Ann a \u00e9crit :\n> buy", "no", "French"},
      {"no\n\n5 May\u0131s 2025 Pzt 09:30 tarihinde Ann \u015funu yazd\u0131:\n> buy", "no",
       "a language that no table has"},
      {"no\n\n\u5728 2025\u5e745\u67085\u65e5 Ann \u5199\u9053\uff1a\n> buy", "no", "a wide colon"},
      {"see this:\n> buy", "see this:", "neither a date nor an address"},
      {"it is 5 now\n> buy", "it is 5 now", "no colon"},
      {"first 1:\n\nsecond\n> buy", "first 1:|second", "only the paragraph next to it"},
  };
  check(kCases);
}

TEST(Quotes, AreTheRestBelowALineThatSaysSo) {
  constexpr Case kCases[] = {
      {"no\n\n-----Original Message-----\nFrom: a\n\nbuy\n", "no", "Outlook"},
      {"no\n\n-----Urspr\u00fcngliche Nachricht-----\nbuy\n", "no", "the same in German"},
      {"no\n\n---------- Forwarded message ---------\nbuy", "no", "Gmail"},
      {"no\n\n-------- Weitergeleitete Nachricht --------\nbuy", "no", "Thunderbird"},
      {"no\n\n-------- P\u0159eposlan\u00e1 zpr\u00e1va --------\nbuy", "no", "in Czech"},
      {"no\n\nBegin forwarded message:\n\n> buy", "no", "Apple"},
      {"no\n\nAnfang der weitergeleiteten Nachricht:\nbuy", "no", "the same in German"},
      {"Hi. This is the program\n\n--- Below this line is a copy of the message.\n\nbuy",
       "Hi. This is the program", "qmail"},
      {"It failed\n\n------ This is a copy of the message, including all the headers. ------\nbuy",
       "It failed", "Exim"},
      {"It failed\n\n   ----- Original message follows -----\n\nbuy", "It failed", "Sendmail"},
      {"no\n\nOn 5 May 2025 Ann wrote:\n\nbuy\n", "no", "an author, and nothing is marked"},
      {"no\n\nOn 5 May 2025 Ann wrote:\n\nbuy\n> now\nbye", "no|On 5 May 2025 Ann wrote:|buy|bye",
       "marked lines below tell more"},
      {"I got the original message:\nit was late", "I got the original message:|it was late",
       "a sentence"},
  };
  check(kCases);
}

TEST(Quotes, AreTheRestFromAHeaderOn) {
  constexpr Case kCases[] = {
      {"no\n\nFrom: Ann\nSent: Monday, 5 May\nTo: Bob\nSubject: roses\n\nbuy", "no", "Outlook"},
      {"no\n\n*From:* Ann\n*Sent:* 5 May\n*Subject:* roses\n\nbuy", "no", "in bold"},
      {"no\n\nVon: Ann\nGesendet: 5. Mai\nAn: Bob\nBetreff: Rosen\n\nbuy", "no", "German"},
      {"no\n\nDe : Ann\nEnvoy\u00e9 : 5 mai\n\u00c0 : Bob\nObjet : roses\n\nbuy", "no", "French"},
      {"no\n\nDe: Ann\nEnviado el: 5\nPara: Bob\nAsunto: rosas\n\nbuy", "no", "Spanish"},
      {"no\n\nDa: Ann\nInviato: 5\nA: Bob\nOggetto: rose\n\nbuy", "no", "Italian"},
      {"no\n\nVan: Ann\nVerzonden: 5\nAan: Bob\nOnderwerp: rozen\n\nbuy", "no", "Dutch"},
      {"no\n\nOd: Ann\nWys\u0142ano: 5\nDo: Bob\nTemat: r\u00f3\u017ce\n\nbuy", "no", "Polish"},
      {"no\n\n\u041e\u0442: A\n\u041e\u0442\u043f\u0440\u0430\u0432\u043b\u0435\u043d\u043e: 5\n"
       "\u041a\u043e\u043c\u0443: b@example.org\n\nbuy",
       "no", "Russian"},
      {"no\n\n\u53d1\u4ef6\u4eba: A\n\u65e5\u671f: 5\n\u4e3b\u9898: B\n\nbuy", "no", "Chinese"},
      {"no\n\nFrom: Ann\nTo: Bob\n b@example.org,\n c@example.org\nSubject: x\n\nbuy", "no",
       "a long list of recipients"},
      {"no\n\nSubject: roses\nDate: 5 May\nFrom: Ann\n\nbuy", "no", "in another order"},
      {"From: Hamburg\nTo: Rome\n\nyes", "From: Hamburg|To: Rome|yes", "two fields are a journey"},
      {"From: Hamburg\nTo: Rome\nDate: 5 May\n\nyes", "From: Hamburg|To: Rome|Date: 5 May|yes",
       "three are one, too"},
      {"To: Rome\nDate: 5 May\nSubject: a journey", "To: Rome|Date: 5 May|Subject: a journey",
       "without an author"},
      {"From: Ann\n\nSent: 5 May\n\nTo: Bob", "From: Ann|Sent: 5 May|To: Bob",
       "not next to each other"},
  };
  check(kCases);
}

TEST(Quotes, AreWhatElementsQuote) {
  const std::string text = "no\nOn 5 May Ann wrote:\nbuy\nbye";
  const std::size_t begin = text.find("buy");
  const std::vector<TextSpan> known = {{begin, begin + 4}};
  EXPECT_EQ(own_of(text, known), "no|bye");
  EXPECT_TRUE(find_quotes(text, known).sourced);
  EXPECT_FALSE(find_quotes("no\nbuy\nbye", std::vector<TextSpan>{{3, 7}}).sourced);
  const Quotes odd = find_quotes(text, std::vector<TextSpan>{{5, 5}, {begin, begin + 4}, {2, 3}});
  EXPECT_EQ(without_spans(text, odd.spans).find("buy"), std::string::npos)
      << "spans that are empty or not in order are left out";
}

TEST(Quotes, CountWords) {
  EXPECT_EQ(count_words("two words, 3 4 - ?"), 2U);
  EXPECT_EQ(count_words("\u6771\u4eac\u90fd\u306b\u884c\u304f"), 3U) << "pairs of letters";
  EXPECT_EQ(count_words("\u0440\u043e\u0437\u044b"), 1U);
  const Quotes quotes = find_quotes("thanks a lot\n> buy roses now please");
  EXPECT_EQ(quotes.own_words, 3U);
  EXPECT_EQ(quotes.quoted_words, 4U);
}

// Each side of the law of HASHING.md section 17.
TEST(Quotes, HoldOnlyBesideOwnWords) {
  const std::string quote = "\n> buy roses now and never ask us again please my dear friend\n";
  const std::string eight = "one two three four five six seven eight";
  EXPECT_TRUE(find_quotes("thanks" + quote).hold(Answer::kYes)) << "an answer";
  EXPECT_FALSE(find_quotes(quote).hold(Answer::kYes)) << "of nothing";
  EXPECT_FALSE(find_quotes("thanks" + quote).hold(Answer::kNo)) << "to nothing";
  EXPECT_TRUE(find_quotes(eight + quote).hold(Answer::kNo)) << "a warning";
  EXPECT_FALSE(find_quotes(eight).hold(Answer::kYes)) << "nothing is quoted";

  const std::string text = "x\n" + eight + "\nbuy";
  const std::vector<TextSpan> few = {{text.size() - 3, text.size()}};
  EXPECT_TRUE(find_quotes(text, few).hold(Answer::kNo)) << "a short citation";
  const std::string long_one = eight + "\n" + eight + " nine";
  const std::vector<TextSpan> much = {{eight.size() + 1, long_one.size()}};
  EXPECT_FALSE(find_quotes(long_one, much).hold(Answer::kNo)) << "an indented body with a footer";
  EXPECT_TRUE(find_quotes(long_one, much).hold(Answer::kYes));
  const std::vector<TextSpan> most = {{2, text.size()}};
  EXPECT_FALSE(find_quotes(text, most).hold(Answer::kYes)) << "whose words they are nobody says";
}

TEST(Quotes, AreBounded) {
  std::string text;
  for (std::size_t i = 0; i < 2 * kQuotesMax; ++i) text += "> a\nb\n";
  EXPECT_EQ(find_quotes(text).spans.size(), kQuotesMax);
  const std::string line = "- " + std::string(2 * kQuoteLineBytesMax, 'x') + ":\n> a";
  EXPECT_EQ(own_of(line), line.substr(0, line.find('\n'))) << "a long line is a text";
}

TEST(Quotes, HoldATextWithoutMarks) {
  const auto quoted = [](std::string_view text) {
    return quoted_text(text, find_quotes(text).spans);
  };
  EXPECT_EQ(quoted("no\n> buy\n>> a > b\n>\n> now\nyes\n  > bye"), "buy\na > b\n\nnow\nbye");
  EXPECT_EQ(quoted("no\n-----Original Message-----\n buy"), "-----Original Message-----\nbuy");
  EXPECT_EQ(quoted("no"), "");
}

TEST(Quotes, FindsPlaces) {
  const std::vector<TextSpan> spans = {{2, 4}, {6, 7}};
  std::string in;
  for (std::size_t at = 0; at < 9; ++at) in += lies_in(spans, at) ? 'q' : '-';
  EXPECT_EQ(in, "--qq--q--");
  EXPECT_FALSE(lies_in({}, 0));
}

RC_GTEST_PROP(Quotes, AreInOrderAndInTheText, (const std::vector<std::size_t>& chosen)) {
  static constexpr const char* kPieces[] = {"> a\n",
                                            "b\n",
                                            "\n",
                                            "On 5 May A wrote:\n",
                                            "From: A\n",
                                            "Sent: 5\n",
                                            "To: B\n",
                                            "-----Original Message-----\n",
                                            "<a@example.org>\n",
                                            "c ",
                                            "\r\n",
                                            "x:\n"};
  std::string text;
  for (const std::size_t i : chosen) text += kPieces[i % std::size(kPieces)];
  const Quotes quotes = find_quotes(text);
  std::size_t end = 0;
  for (const TextSpan& span : quotes.spans) {
    RC_ASSERT(span.begin >= end && span.begin < span.end);
    end = span.end;
  }
  RC_ASSERT(end <= text.size());
  RC_ASSERT(quotes.own_words + quotes.quoted_words <= text.size());
}

}  // namespace
}  // namespace shingled::mime
