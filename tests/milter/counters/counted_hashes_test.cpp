#include "milter/counters/counted_hashes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "config/options/settings.h"

namespace shingled::milter::counters {
namespace {

TEST(CountedHashes, ComeFromTheLocalRuleOfTheShippedSettings) {
  RuleOptions rule;
  rule.hash.robust = true;  // as every rule of the own storage
  EXPECT_TRUE(makes_counted_texts(rule.hash));
}

TEST(CountedHashes, ComeFromEveryRuleWithTheSameDigestsOfTexts) {
  HashOptions options = counted_text_options();
  options.algorithm = HashAlgorithm::kSiphash;
  options.mime_types = {"image/*"};
  options.html_shingles = true;
  EXPECT_TRUE(makes_counted_texts(options));
  options.fuzzy_key = "ours";
  EXPECT_FALSE(makes_counted_texts(options));
  HashOptions plain;
  EXPECT_FALSE(makes_counted_texts(plain)) << "no robust hashes";
}

/// The kinds of the counted hashes of a message whose rule is `options`.
std::vector<mime::PartKind> counted_of(const std::string& message, const HashOptions& options) {
  const mime::Analysis analysis = mime::analyze(message, {});
  const std::vector<mime::HashRule> rules = {mime::HashRule(options),
                                             mime::HashRule(counted_structure_options())};
  const mime::MessageHashes hashes = mime::hash_message(analysis, rules);
  std::vector<mime::PartKind> kinds;
  for (const mime::PartHash& hash : counted_hashes(hashes.of_rule[0], hashes.of_rule[1])) {
    kinds.push_back(hash.kind);
  }
  return kinds;
}

TEST(CountedHashes, HaveEachStructureOnce) {
  std::string message =
      "Content-Type: text/html\r\n\r\n<html><body>"
      "<a href=http://a.example.org/>x</a><a href=http://b.example.net/>y</a><table>";
  for (int i = 0; i < 60; ++i) {
    message += "<tr><td>word" + std::string(1, static_cast<char>('a' + i % 26)) +
               "</td><td><b>other" + std::string(1, static_cast<char>('a' + i % 7)) +
               "</b></td></tr>";
  }
  message += "</table></body></html>\r\n";
  HashOptions options = counted_text_options();
  using enum mime::PartKind;
  const std::vector<mime::PartKind> expected = counted_of(message, options);
  EXPECT_EQ(std::count(expected.begin(), expected.end(), kHtmlStructure), 1);
  EXPECT_EQ(std::count(expected.begin(), expected.end(), kHtml), 1);
  options.html_shingles = true;
  EXPECT_EQ(counted_of(message, options), expected);
}

rules::Lookup lookup(rules::Lookup::Outcome outcome, std::uint8_t digest) {
  rules::Lookup out;
  out.outcome = outcome;
  out.match.digest.bytes[0] = digest;
  return out;
}

TEST(MatchedHashes, AreTheStoredOnesEachOnce) {
  using Outcome = rules::Lookup::Outcome;
  const std::vector<rules::Lookup> lookups = {
      lookup(Outcome::kHit, 0xAB), lookup(Outcome::kMiss, 1), lookup(Outcome::kHit, 0xAB),
      lookup(Outcome::kTimeout, 2), lookup(Outcome::kHit, 3)};
  const auto pieces = matched_hashes(lookups);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].type, PieceType::kStoredHash);
  EXPECT_EQ(pieces[0].first, "ab" + std::string(2 * kDigestBytes - 2, '0'));
  EXPECT_EQ(pieces[0].second, "");
}

TEST(MatchedHashes, AreNotOfWhatIsQuoted) {
  std::vector<rules::Lookup> lookups = {lookup(rules::Lookup::Outcome::kHit, 1)};
  EXPECT_EQ(matched_hashes(lookups).size(), 1U);
  lookups[0].hash.quoted = true;
  EXPECT_TRUE(matched_hashes(lookups).empty());
}

TEST(MatchedFile, HasTheNamesOfListAndSample) {
  EXPECT_EQ(matched_file("bad", "a.exe"), (mime::Piece{PieceType::kKnownFile, "bad/a.exe", ""}));
}

}  // namespace
}  // namespace shingled::milter::counters
