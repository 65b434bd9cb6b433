// Covers mime/analyze.cpp, mime/rule_hasher.cpp: HASHING.md 4.2, option by option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "mime/analysis_parts.h"
#include "mime/analyze.h"

namespace shingled::mime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string words(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += "word" + std::to_string(i) + "x ";
  return text;
}

/// Each hash as "kind method".
std::vector<std::string> hashes_of(const std::string& message, const HashOptions& rule) {
  std::vector<std::string> out;
  for (const PartHash& hash : hash_message(analyze(message, {}), HashRule(rule))) {
    out.push_back(std::string(to_string(hash.kind)) + " " + std::string(to_string(hash.method)));
  }
  return out;
}

std::string plain(const std::string& text) { return "Content-Type: text/plain\n\n" + text + "\n"; }

std::string page(const std::string& text) {
  std::string html = "Content-Type: text/html\n\n<html><body><div><table><tr><td>";
  for (int i = 0; i < 3; ++i) html += "<p><a href=http://example.com/>" + text + "</a></p>";
  return html + "</td></tr></table></div></body></html>\n";
}

TEST(HashMessage, LongTextsHaveShinglesAndShortOnesADirectHash) {
  EXPECT_THAT(hashes_of(plain(words(64)), {}), ElementsAre("text shingles"));
  EXPECT_THAT(hashes_of(plain(words(63)), {}), ElementsAre("text direct"));
  EXPECT_THAT(hashes_of(plain(words(10)), {}), IsEmpty()) << "below min_bytes";
  EXPECT_THAT(hashes_of(plain(words(10)), {.min_bytes = 0}), ElementsAre("text direct"));
  EXPECT_THAT(hashes_of(plain(words(63)), {.short_text_direct_hash = false}), IsEmpty());
  EXPECT_THAT(hashes_of(plain(words(64)), {.text_shingles = false}), ElementsAre("text direct"));
}

TEST(HashMessage, WithoutTextHashesOnlyTheStructureIsLeft) {
  EXPECT_THAT(hashes_of(plain(words(64)), {.text_hashes = false}), IsEmpty());
  EXPECT_THAT(hashes_of(plain(words(63)), {.text_hashes = false}), IsEmpty());
  EXPECT_THAT(hashes_of(page(words(2)), {.html_shingles = true}), IsEmpty()) << "a short text";
  EXPECT_THAT(hashes_of(page(words(2)), {.min_bytes = 0, .html_shingles = true}),
              ElementsAre("html direct", "html_structure shingles"));
  EXPECT_THAT(hashes_of(page(words(2)), {.text_hashes = false, .html_shingles = true}),
              ElementsAre("html_structure shingles"))
      << "as 4.1.6 was seen to send them";
  EXPECT_THAT(hashes_of(page(words(30)), {.html_shingles = true}),
              ElementsAre("html shingles", "html_structure shingles"));
  EXPECT_THAT(hashes_of(page(words(30)), {.text_hashes = false, .html_shingles = true}),
              ElementsAre("html_structure shingles"));
}

/// Each hash as "kind", with "q" if it is quoted.
std::vector<std::string> quoted_of(const std::string& message) {
  std::vector<std::string> out;
  const HashRule rule({.html_shingles = true, .robust = true});
  for (const PartHash& hash : hash_message(analyze(message, {}), rule)) {
    out.push_back(std::string(to_string(hash.kind)) + (hash.quoted ? " q" : ""));
  }
  return out;
}

std::string letter(const char* word, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += word;
    for (int rest = i + 1; rest > 0; rest /= 8) text += static_cast<char>('a' + rest % 8);
    text += ' ';
  }
  return text;
}

TEST(HashMessage, TellsWhatIsQuotedFromWhatIsSaid) {
  const std::string answer = "In-Reply-To: <a@example.org>\n";
  const std::string quote = "\n\nOn 5 May 2025 Ann wrote:\n> " + letter("other", 80);
  EXPECT_THAT(quoted_of(answer + plain(letter("mine", 40) + quote)),
              ElementsAre("text q", "robust"))
      << "the robust hash has no quotes";
  EXPECT_THAT(quoted_of(answer + plain(letter("mine", 90) + quote)), ElementsAre("text", "robust"))
      << "most of it is its own";
  EXPECT_THAT(quoted_of(plain(quote)), ElementsAre("text")) << "the quote is the body";
  const std::string html = "Content-Type: text/html\n\n<p>" + letter("mine", 40) +
                           "</p><blockquote><div><table><tr><td><p>" + letter("other", 80) +
                           "</p><p><a href=http://a.example/>a</a></p><p><a "
                           "href=http://b.example/>b</a></p></td></tr></table></div></blockquote>";
  EXPECT_THAT(quoted_of(answer + html), ElementsAre("html q", "html_structure q", "robust"));
  EXPECT_THAT(quoted_of(html), ElementsAre("html", "html_structure", "robust"));
  EXPECT_THAT(
      quoted_of("Content-Type: multipart/mixed; boundary=x\n\n--x\n" + plain(letter("mine", 80)) +
                "--x\nContent-Type: message/rfc822\n\n" + plain(letter("other", 80)) + "--x--\n"),
      ElementsAre("text", "text q", "robust"));
}

TEST(HashMessage, ReadsThePlainTextOfABounceAsItIsShown) {
  const std::string source = "<html><body><p>" + letter("other", 80) + "</p></body></html>";
  const std::string bounce =
      "Hi. This is the program of a server that could not deliver your message to him.\n\n";
  const std::string copy = "--- Below this line is a copy of the message.\n\nSubject: a\n\n";
  EXPECT_THAT(quoted_of(plain(bounce + copy + source)), ::testing::Contains("html q"));
  EXPECT_THAT(quoted_of(plain(bounce + source)), ::testing::Not(::testing::Contains("html q")));
}

TEST(HashMessage, MakesTheSameCompatibleHashesOfQuotes) {
  const std::string body = plain(letter("mine", 40) + "\n> " + letter("other", 80));
  const auto first = [](const std::string& message) {
    return hash_message(analyze(message, {}), HashRule({.robust = true})).front().fingerprint;
  };
  EXPECT_EQ(first("In-Reply-To: <a@example.org>\n" + body), first(body));
}

TEST(HashMessage, MakesRobustHashesOfOwnWordsAlone) {
  const auto robust = [](const std::string& message) {
    return hash_message(analyze(message, {}), HashRule({.robust = true})).back().fingerprint;
  };
  const std::string html = "Content-Type: text/html\n\n<p>" + letter("mine", 40) + "</p>";
  const std::string answer = "In-Reply-To: <a@example.org>\n";
  const std::string quote = "<blockquote>" + letter("other", 80) + "</blockquote>";
  EXPECT_EQ(robust(answer + html + quote), robust(html));
  EXPECT_NE(robust(html + quote), robust(html)) << "nothing says that it is an answer";
}

TEST(HashMessage, KeepsWhatIsSaidOfEqualHashes) {
  const std::string text = plain(letter("mine", 80));
  const std::string message =
      "Content-Type: multipart/mixed; boundary=x\n\n--x\n"
      "Content-Type: message/rfc822\n\n" +
      text + "--x\n" + text + "--x--\n";
  EXPECT_THAT(quoted_of(message), ElementsAre("text", "robust"));
}

/// English beside a Japanese page, with what else is in the message.
std::string alternatives(const std::string& plain, const std::string& html,
                         const std::string& rest = "") {
  return "Content-Type: multipart/mixed; boundary=o\n\n--o\n"
         "Content-Type: multipart/alternative; boundary=i\n\n--i\n"
         "Content-Type: text/plain; charset=utf-8\n\n" +
         plain + "\n--i\nContent-Type: text/html; charset=utf-8\n\n<p>" + html + "</p>\n--i--\n" +
         rest + "--o--\n";
}

// Of Japanese a third of the words is enough (rspamd 4 counts so).
TEST(HashMessage, PlainTextIsCountedInTheLanguageOfItsHtmlAlternative) {
  std::string japanese;
  for (int i = 0; i < 30; ++i) japanese += "\u3053\u308c\u306f\u65e5\u672c\u8a9e ";
  const std::string english = words(25);
  const HashOptions rule{.short_text_direct_hash = false};
  EXPECT_THAT(hashes_of(plain(english), rule), IsEmpty());
  EXPECT_THAT(hashes_of(alternatives(english, japanese), rule),
              ElementsAre("text shingles", "html shingles"));
  EXPECT_THAT(hashes_of(alternatives(english, words(64)), rule), ElementsAre("html shingles"));
  EXPECT_THAT(
      hashes_of(alternatives(english, japanese, "--o\nContent-Type: text/plain\n\nx\n"), rule),
      ElementsAre("html shingles"))
      << "a third text";
}

TEST(HashMessage, APdfWithAScriptIsHashedWhateverItsType) {
  const std::string script(300, 'x');
  const auto pdf = [](const std::string& said, const std::string& js) {
    return said + "\n%PDF-1.4\n1 0 obj\n<< /Type /Action /JS (" + js + ") >>\nendobj\n";
  };
  const HashOptions rule{.mime_types = {"image/*"}};
  EXPECT_THAT(hashes_of(pdf("Content-Type: application/pdf\n", script), rule),
              ElementsAre("pdf_script direct", "attachment direct"));
  EXPECT_THAT(hashes_of(pdf("Content-Type: text/plain\n", script), rule),
              ElementsAre("pdf_script direct", "attachment direct"));
  EXPECT_THAT(hashes_of(pdf("Content-Type: application/pdf\n", "short"), rule),
              ElementsAre("attachment direct"));
  EXPECT_THAT(hashes_of(pdf("Content-Type: application/pdf; name=x\n", ""), rule),
              ElementsAre("attachment direct"));
  EXPECT_THAT(hashes_of("Content-Type: application/pdf; name=x\n\n%PDF-1.4\n" + words(300), rule),
              IsEmpty());
}

TEST(HashMessage, APdfThatIsTooDearToReadIsStillHashed) {
  std::string message = "Content-Type: application/pdf; name=x\n\n%PDF-1.4\n";
  for (int i = 1; i < 2000; ++i) {
    message += std::to_string(i) + " 0 obj\n<< /Type /Page /A [1 2 3 4 5 6 7 8 9] >>\nendobj\n";
  }
  MimeOptions options;
  options.work_max = 2'000'000;
  const HashRule rule(HashOptions{});
  const Analysis analysis = analyze(message, options);
  ASSERT_FALSE(analysis.parts().incomplete);
  const MessageHashes hashes = hash_message(analysis, std::span(&rule, 1));
  EXPECT_TRUE(hashes.incomplete);
  ASSERT_EQ(hashes.of_rule.front().size(), 1U);
  EXPECT_EQ(hashes.of_rule.front().front().kind, PartKind::kAttachment);
}

}  // namespace
}  // namespace shingled::mime
