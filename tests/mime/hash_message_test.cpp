// Which hashes a rule asks for: the decision table of hashing.md 4.2, option by option.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

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
  EXPECT_THAT(hashes_of(page(words(30)), {.html_shingles = true}),
              ElementsAre("html shingles", "html_structure shingles"));
  EXPECT_THAT(hashes_of(page(words(30)), {.text_hashes = false, .html_shingles = true}),
              ElementsAre("html_structure shingles"));
}

}  // namespace
}  // namespace shingled::mime
