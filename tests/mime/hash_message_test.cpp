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

using testing::ElementsAre;
using testing::IsEmpty;

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
TEST(HashMessage, PlainTextIsCountedInTheLanguageOfItsHtmlSister) {
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
