// Covers mime/text/boilerplate.cpp, mime/text/common_words.cpp, mime/text/boilerplate.cpp: the
// robust form.
#include "mime/text/robust_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace shingled::mime {
namespace {

std::string joined(const RobustText& text) {
  std::string out;
  for (std::size_t i = 0; i < text.words.size(); ++i) {
    if (i != 0) out += ' ';
    out += text.words[i];
  }
  return out;
}

std::string words_of(std::string_view content, TextForm form = TextForm::kPlain) {
  return joined(robust_words(content, form));
}

TEST(RobustWords, LeaveOutWhatSpammersVary) {
  struct Case {
    const char* text;
    const char* expected;
    const char* why;
  };
  const Case cases[] = {
      {"Buy now, don't wait!", "buy now dont walt", "words, apostrophes joined"},
      {"buy https://a.example/?id=1 now", "buy now", "a link"},
      {"buy(http://a.example) now", "buy now", "a link glued to a word"},
      {"buy www.a.example now", "buy now", "a host"},
      {"buy a.example/x now", "buy now", "a host with a path"},
      {"buy http://\u043F.\u0440\u0444/x now", "buy now", "a link with other letters"},
      {"buy now@a.example now", "buy now", "an address"},
      {"\u4F60\u597Dhttp://a.example\u4F60\u597D\u554A", "\u4F60\u597D \u4F60\u597D \u597D\u554A",
       "a link ends at an ideograph"},
      {"pay $3.50/pill or 2pills", "pay plll or", "numbers and words with digits"},
      {"pay end.of it", "pay lt", "what looks like a host is taken for one"},
      {"b u y v.i.a.g.r.a now", "buyvlagra now", "spaced letters are one word"},
      {"I, a man", "l a man", "two single letters are none"},
      {"a aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeee b", "a b", "keys and codes"},
      {"Dear Mr Miller,\nbuy now", "buy now", "a greeting"},
      {"Dear Mr Miller\nbuy now", "buy now", "a greeting without a comma"},
      {"Dear friend, buy now", "buy now", "a greeting in the line"},
      {"buy now\nDear friend", "buy now dear frlend", "only at the beginning"},
      {"> quoted\nbuy now\n> quoted", "buy now", "quoted lines"},
      {"buy now\n-- \nMiller Ltd", "buy now", "a signature"},
      {"-- \nbuy now", "buy now", "a signature below nothing is the message"},
      {"buy now\n\n-----Original Message-----\nFrom: A\n\nsell", "buy now", "a message answered"},
      {"buy now\n---------- Forwarded message ---------\nsell", "buy now", "a message forwarded"},
      {"buy now\nBegin forwarded message:\n\nsell", "buy now", "as Apple writes it"},
      {"buy now\n-----Urspr\u00FCngliche Nachricht-----\nsell", "buy now", "in German"},
      {"-----Original Message-----\nbuy now", "buy now", "below nothing it is the message"},
      {"This is the original message:\nbuy now", "thls ls the orlglnal buy now",
       "a sentence is text"},
      {"buy now\nOn Mon, 2 Mar 2026 A <a@b.example> wrote:\n> sell", "buy now", "who wrote it"},
      {"buy now\nAm 2.3.2026 um 9:30 schrieb A:\n> sell", "buy now", "who wrote it, in German"},
      {"As she wrote:\nbuy now", "as she wrote buy now", "no date and no address is text"},
      {"buy the finest roses of our garden\n______\nA list\nhttp://a.example\n\nnow",
       "buy the flnest roses of our garden now", "a footer of a list"},
      {"roses\n______\nbuy the finest ones of our garden today",
       "roses buy the flnest ones of our garden today", "a ruled heading hides nothing"},
      {"=====\nbuy roses", "buy roses", "nor does a rule at the top"},
      {"finest\n-----\nroses\n-----\nof our garden as of today",
       "flnest roses of our garden as of today", "nor rules between paragraphs"},
      {"buy\n*** now ***", "buy now", "a short ornament is no rule"},
      {"Please unsubscribe now", "please now", "boiler-plate among other words"},
      {"buy now it is cheap\n\nTo unsubscribe from this newsletter click here\nor reply.\n\nbye",
       "buy now lt ls cheap bye", "a paragraph of boiler-plate"},
      {"", "", "nothing"},
  };
  for (const Case& c : cases) EXPECT_EQ(words_of(c.text), c.expected) << c.why;
}

TEST(RobustWords, AreTheSameFromAFileAndFromAServer) {
  for (const std::string text :
       {"buy now\n-- \nMiller Ltd", "buy now\n--\nMiller Ltd",
        "buy our roses\n______\nA list\n\nnow", "Dear friend\n> quoted\nbuy now"}) {
    std::string mailed;
    for (const char c : text) mailed += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(words_of(mailed), words_of(text)) << text;
  }
}

TEST(RobustWords, TakeALineOfHtmlForAParagraph) {
  const char* text = "buy now it is cheap and good\nunsubscribe: click here, link below";
  EXPECT_EQ(words_of(text, TextForm::kHtml), "buy now lt ls cheap and good");
  EXPECT_EQ(words_of(text, TextForm::kPlain), "") << "in plain text it is one paragraph, a notice";
}

TEST(RobustWords, LeaveDisclaimersOutInManyLanguages) {
  const char* const disclaimers[] = {
      "This e-mail and any files transmitted with it are confidential and intended solely for the "
      "use of the individual or entity to whom they are addressed. If you have received this "
      "e-mail "
      "in error please notify the sender immediately and delete it from your system.",
      "Diese E-Mail enth\u00E4lt vertrauliche und/oder rechtlich gesch\u00FCtzte Informationen. "
      "Wenn "
      "Sie nicht der richtige Adressat sind, informieren Sie bitte sofort den Absender.",
      "Ce message et toutes les pi\u00E8ces jointes sont confidentiels et \u00E9tablis \u00E0 "
      "l'intention exclusive de ses destinataires. Toute diffusion non autoris\u00E9e est "
      "interdite.",
      "Este mensaje puede contener informaci\u00F3n confidencial. Si usted recibe este correo "
      "electr\u00F3nico por error, gracias por informar inmediatamente al remitente.",
      "You received this email because you signed up at our web site. If you no longer wish to "
      "receive these emails, click here to unsubscribe. All rights reserved.",
  };
  for (const std::string text : disclaimers) EXPECT_EQ(words_of("buy now\n\n" + text), "buy now");
}

TEST(RobustWords, AreTellingWithSixteenDifferentLongWords) {
  std::string text;
  for (const char c : std::string_view("abcdefghjklmnop")) text += std::string("word") + c + " of ";
  EXPECT_FALSE(robust_words(text + text, TextForm::kPlain).is_telling()) << "the same again";
  EXPECT_TRUE(robust_words(text + "another", TextForm::kPlain).is_telling());
}

TEST(RobustWords, EndAtAnAttributionInHtmlWhichHasNoMarksOfQuotes) {
  const char* text = "buy now\nOn 2 March A wrote:\nsell";
  EXPECT_EQ(words_of(text, TextForm::kHtml), "buy now");
  EXPECT_EQ(words_of(text, TextForm::kPlain), "buy now sell");
}

TEST(RobustWords, AreCommonWhereFewAreTheTextsOwn) {
  const char* reset =
      "We received a request to reset the password of your account. If this was you, open the link "
      "below within the next hours and choose a new password. If you did not ask for it you can "
      "safely ignore this message. Need help? Visit our help centre, our support team will answer. "
      "The Kestrel team";
  EXPECT_TRUE(robust_words(reset, TextForm::kPlain).is_common(60));
  const char* offer =
      "Genuine Swiss chronometers with sapphire crystal and leather strap, shipped discreetly from "
      "Shenzhen. Every jeweller charges fivefold. Celebrate yourself: polished steel, waterproof, "
      "engraved back, velvet box. Limited batch, hurry, whisper the coupon to friends!";
  EXPECT_FALSE(robust_words(offer, TextForm::kPlain).is_common(40));
  EXPECT_FALSE(robust_words(std::string(offer) + reset, TextForm::kPlain).is_common(100));
  EXPECT_TRUE(
      robust_words("Sapphire crystal chronometers tomorrow", TextForm::kPlain).is_common(80))
      << "most of the text was cut";
  EXPECT_FALSE(
      robust_words("Sapphire crystal chronometers tomorrow", TextForm::kPlain).is_common(4));
}

TEST(RobustWords, AreBounded) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "buy \n\n";
  EXPECT_EQ(robust_words(text, TextForm::kPlain).words.size(), kRobustWordsMax);
  std::string line;
  for (int i = 0; i < 100'000; ++i) line += "buy ";
  EXPECT_EQ(robust_words(line, TextForm::kPlain).words.size(), kRobustWordsMax);
  EXPECT_EQ(words_of(std::string(kRobustTextBytesMax, ' ') + "buy"), "");
  EXPECT_EQ(words_of(std::string(200'000, 'a')), "");
}

// The laws: what a spammer does to each copy leaves the normal form as it was.

/// A text of some lines of common words.
rc::Gen<std::string> any_text() {
  const auto word = rc::gen::element<std::string>(
      "offer", "great", "watches", "for", "you", "Invoice", "your", "account", "limited", "today",
      "it's", "prize", "\u4F60\u597D", "gew\u00E4hlt", "price", "dollar", "code", "number");
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(word),
                      [](const std::vector<std::string>& words) {
                        std::string text;
                        for (std::size_t i = 0; i < words.size(); ++i) {
                          text += words[i];
                          text += i % 7 == 6 ? '\n' : ' ';
                        }
                        return text;
                      });
}

/// `change` of each character of the text, chosen by chance.
template <typename Change>
std::string changed(const std::string& text, Change change) {
  std::string out;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 && *rc::gen::arbitrary<bool>()) {
      change(c, out);
    } else {
      out += c;
    }
  }
  return out;
}

RC_GTEST_PROP(RobustWords, AreBlindToInvisibleCharacters, ()) {
  const std::string text = *any_text();
  const std::string hidden = changed(text, [](char c, std::string& out) {
    out += *rc::gen::element<std::string>("\u200B", "\u200D", "\u00AD", "\u2060", "\uFEFF",
                                          "\u034F", "\U000E0061", "\u061C", "\u180E");
    out += c;
  });
  RC_ASSERT(words_of(hidden) == words_of(text));
}

RC_GTEST_PROP(RobustWords, AreBlindToLookAlikes, ()) {
  const std::string text = *any_text();
  const std::string dressed = changed(text, [](char c, std::string& out) {
    switch (c) {
      case 'a':
        out += *rc::gen::element<std::string>("\u0430", "\u03B1", "\u00E1", "\uFF41", "A");
        break;
      case 'e':
        out += *rc::gen::element<std::string>("\u0435", "\u00EA", "\u212F", "E");
        break;
      case 'i':
      case 'l':
        out += *rc::gen::element<std::string>("\u0456", "l", "i", "I", "\u04CF", "\u0131");
        break;
      case 'o':
        out += *rc::gen::element<std::string>("\u043E", "\u03BF", "\u0585", "O\u0308");
        break;
      default:
        out += c;
    }
  });
  RC_ASSERT(words_of(dressed) == words_of(text));
}

RC_GTEST_PROP(RobustWords, AreBlindToDigitsLinksAndAddresses, ()) {
  const std::string text = *any_text();
  const auto varied = [&](const std::string& noise) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      out += text[i];
      if (text[i] == ' ' && i % 3 == 0) out += noise + ' ';
    }
    return words_of("now " + out);
  };
  const auto number = std::to_string(*rc::gen::inRange(0, 1'000'000));
  const std::string host = "h" + number + ".example";
  RC_ASSERT(varied(number) == words_of("now " + text));
  RC_ASSERT(varied("x" + number) == words_of("now " + text));
  RC_ASSERT(varied("http://" + host + "/?a=b") == words_of("now " + text));
  RC_ASSERT(varied("www." + host) == words_of("now " + text));
  RC_ASSERT(varied("<a" + number + "@" + host + ">") == words_of("now " + text));
}

RC_GTEST_PROP(RobustWords, AreNeverBoilerplateOrTooLong, (const std::string& text)) {
  const RobustText robust = robust_words(text, TextForm::kHtml);
  RC_ASSERT(robust.telling_words <= robust.words.size());
  for (std::size_t i = 0; i < robust.words.size(); ++i) {
    RC_ASSERT(!robust.words[i].empty());
    RC_ASSERT(robust.words[i].size() <= 40U);
  }
}

RC_GTEST_PROP(RobustTexts, AreTheWordsOfBothForms, ()) {
  const auto piece = rc::gen::element<std::string>(
      "offer ", "watches ", "unsubscribe ", "newsletter ", "disclaimer ", "u n s u b s c r l b e ",
      "v i a g r a ", "i ", "\n", "\n\n", "\n> quoted\n", "\n-----\n", "\n-- \n",
      "\nOn 1 May A wrote:\n", "Dear Sir,", "\u4F60\u597D\u5417 ", "http://a.example/ ");
  const auto pieces = *rc::gen::container<std::vector<std::string>>(piece);
  const int repeats = *rc::gen::element(1, 10, 500);  // 500 reach the bounds
  const TextForm form = *rc::gen::element(TextForm::kPlain, TextForm::kHtml);
  std::string text;
  for (int i = 0; i < repeats; ++i)
    for (const std::string& each : pieces) text += each;
  const RobustTexts both = robust_texts(text, form);
  const RobustText own = robust_words(text, form);
  RC_ASSERT(both.own.words == own.words);
  RC_ASSERT(both.own.telling_words == own.telling_words);
  RC_ASSERT(both.own.own_words == own.own_words);
  RC_ASSERT(both.own.common_words == own.common_words);
  RC_ASSERT(both.own.cut == own.cut);
  RC_ASSERT(both.with_notices == robust_words(text, form, Notices::kKept).words);
}

// Two words that the standard library's hash makes one. Whoever had many of them could write a long
// text that was said to have few words.
TEST(RobustWords, CountsWordsAndNotTheirHashes) {
  constexpr std::string_view kText =
      "qcfmpjeedpcqkamq gfkeqepdmbnhsjnj abaz abbz abcz abdz abez abfz abgz abhz abjz abkz abmz "
      "abnz abpz abqz";
  const RobustText text = robust_words(kText, TextForm::kPlain);
  ASSERT_EQ(text.words.size(), kRobustTellingWordsMin);
  EXPECT_EQ(text.telling_words, kRobustTellingWordsMin);
  EXPECT_EQ(text.own_words, kRobustTellingWordsMin);
}

}  // namespace
}  // namespace shingled::mime
