// What the work of a message is spent on (mime/model/work_meter.h), and what is left out when it is
// gone.
#include "mime/model/work_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "mime/analysis_parts.h"

namespace shingled::mime {
namespace {

TEST(WorkMeter, StaysEmptyOnceItHasRefused) {
  WorkMeter meter(10);
  EXPECT_TRUE(meter.spend(4));
  EXPECT_TRUE(meter.spend(3, 2)) << "exactly what is left";
  EXPECT_EQ(meter.left(), 0U);
  EXPECT_FALSE(meter.refused());
  EXPECT_TRUE(meter.spend(0));
  EXPECT_FALSE(meter.spend(1));
  EXPECT_TRUE(meter.refused());
  EXPECT_EQ(WorkMeter(10).left(), 10U);

  WorkMeter other(10);
  EXPECT_FALSE(other.spend(11)) << "more than there is";
  EXPECT_FALSE(other.spend(1)) << "although that much was there";
}

TEST(WorkMeter, RefusesEverythingOnceItIsToStop) {
  std::stop_source source;
  WorkMeter meter(10, source.get_token());
  EXPECT_TRUE(meter.spend(1));
  source.request_stop();
  EXPECT_FALSE(meter.spend(1));
  EXPECT_TRUE(meter.refused());
}

TEST(WorkMeter, GivesAShortMessageLess) {
  constexpr Steps kMax = 1'000'000'000;
  constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
  EXPECT_EQ(steps_for(0, kMax), kStepsAMegabyte);
  EXPECT_EQ(steps_for(kMegabyte - 1, kMax), kStepsAMegabyte);
  EXPECT_EQ(steps_for(kMegabyte, kMax), 2 * kStepsAMegabyte);
  EXPECT_EQ(steps_for(50 * kMegabyte, kMax), kMax);
  EXPECT_EQ(steps_for(0, 1'000'000), 1'000'000U) << "no more than the option says";
}

std::string words(const std::string& word) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += word + std::to_string(i) + "x ";
  return text;
}

/// An archive, an attachment, an attached text and the body, the least telling first.
std::string message() {
  const std::string head = "Content-Type: multipart/mixed; boundary=x\n\n";
  const std::string no_members = std::string("PK\x05\x06") + std::string(18, '\0');
  const std::string archive =
      "--x\nContent-Type: application/zip\n\nPK\x03\x04" + words("a") + no_members;
  const std::string attachment =
      "\n--x\nContent-Type: application/pdf; name=a.pdf\n\n%PDF" + words("b");
  const std::string text =
      "\n--x\nContent-Disposition: attachment\nContent-Type: text/plain\n\n" + words("c");
  const std::string body = "\n--x\nContent-Type: text/plain\n\n" + words("d") + "\n--x--\n";
  return head + archive + attachment + text + body;
}

std::vector<PartPlace> places(const MessageHashes& hashes) {
  std::vector<PartPlace> out;
  for (const PartHash& hash : hashes.of_rule.front()) out.push_back(hash.place);
  return out;
}

TEST(MessageHashes, LeaveOutWhatTellsLeastWhenTheWorkIsSpent) {
  const HashRule rule({.min_bytes = 0});
  const std::vector<PartPlace> all = {PartPlace::kArchive, PartPlace::kAttachment, PartPlace::kText,
                                      PartPlace::kBody};
  std::size_t before = 0;
  std::set<std::size_t> sizes;
  for (Steps work = 100'000; work < 6'000'000; work += 20'000) {
    MimeOptions options;
    options.work_max = work;
    const std::string bytes = message();
    const Analysis analysis = analyze(bytes, options);
    if (analysis.parts().incomplete) continue;  // spent before it was taken apart
    const MessageHashes hashes = hash_message(analysis, std::span(&rule, 1));
    const std::vector<PartPlace> seen = places(hashes);
    EXPECT_THAT(seen, ::testing::ElementsAreArray(
                          all.end() - static_cast<std::ptrdiff_t>(seen.size()), all.end()))
        << work;
    EXPECT_GE(seen.size(), before) << work;
    EXPECT_EQ(hashes.incomplete, seen.size() < all.size()) << work;
    before = seen.size();
    sizes.insert(before);
  }
  EXPECT_EQ(before, all.size());
  EXPECT_GE(sizes.size(), 3U) << "what was left out differed";
}

TEST(MessageHashes, SayThatTheyWereStopped) {
  std::stop_source source;
  source.request_stop();
  const std::string bytes = message();
  const HashRule rule;
  const MessageHashes hashes =
      hash_message(analyze(bytes, {}, source.get_token()), std::span(&rule, 1));
  EXPECT_TRUE(hashes.incomplete);
  EXPECT_THAT(hashes.of_rule.front(), ::testing::IsEmpty());
}

TEST(MessageHashes, AreThoseOfEachRuleAlone) {
  const std::vector<HashRule> rules = {
      HashRule({.min_bytes = 0}), HashRule({.algorithm = HashAlgorithm::kSiphash, .min_bytes = 0}),
      HashRule({.min_bytes = 0, .text_hashes = false}), HashRule({.robust = true})};
  const std::string bytes = message();
  const Analysis analysis = analyze(bytes, {});
  const MessageHashes together = hash_message(analysis, rules);
  ASSERT_EQ(together.of_rule.size(), rules.size());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(together.of_rule[i], hash_message(analysis, std::span(&rules[i], 1)).of_rule.front())
        << i;
  }
}

}  // namespace
}  // namespace shingled::mime
