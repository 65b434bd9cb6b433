#include "milter/features/message_features.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

namespace shingled::milter::features {
namespace {

constexpr std::string_view kMail =
    "From: a@x.example\r\nSubject: hi\r\nMIME-Version: 1.0\r\n"
    "Content-Type: multipart/mixed; boundary=xx\r\n\r\n"
    "--xx\r\nContent-Type: text/plain\r\n\r\none two three\r\n"
    "--xx\r\nContent-Type: text/html\r\n\r\n"
    "<p>This is a longer text that has a language, and that is what the words are for</p>\r\n"
    "--xx\r\nContent-Type: application/octet-stream; name=a.bin\r\n"
    "Content-Disposition: attachment; filename=a.bin\r\n\r\nabc\r\n"
    "--xx--\r\n";

class MessageFeatures : public ::testing::Test {
 protected:
  FeatureValues of(std::string_view mail) {
    const mime::Analysis analysis = mime::analyze(mail, {});
    TextSummary texts;
    const std::array rules = {mime::HashRule()};
    mime::MessageHashes hashes = mime::hash_message(
        analysis, rules, [&](std::size_t, const mime::TextStages& text) { texts.add(text); });
    hashes.incomplete = incomplete_;
    SeenMessage seen{
        .bytes = mail,
        .analysis = analysis,
        .hashes = hashes,
        .texts = texts,
        .links = links_,
        .results = {},
        .arrival = arrival_,
        .time = WallTime(std::chrono::hours(24 * 365 + 13) + std::chrono::minutes(59))};
    if (ours_) seen.results = results_;
    return message_features(seen);
  }
  static std::string text(const FeatureValues& values, Feature feature) {
    return to_string(values, feature);
  }

  std::optional<std::size_t> links_ = 2;
  Arrival arrival_;
  bool ours_ = false;
  std::vector<mime::AuthenticationResults> results_;
  bool incomplete_ = false;
};

TEST_F(MessageFeatures, CountWhatIsInTheMessage) {
  const FeatureValues values = of(kMail);
  EXPECT_EQ(text(values, Feature::kBytes), std::to_string(kMail.size()));
  EXPECT_EQ(text(values, Feature::kParts), "3");
  EXPECT_EQ(text(values, Feature::kAttachments), "1");
  EXPECT_EQ(text(values, Feature::kImages), "0");
  EXPECT_EQ(text(values, Feature::kLinks), "2");
  EXPECT_EQ(text(values, Feature::kHtml), "yes");
  EXPECT_EQ(text(values, Feature::kLanguage), "en");
  EXPECT_GE(values.number(Feature::kWords), 19U);
  EXPECT_TRUE(values.is_known(Feature::kDefects));
  EXPECT_EQ(text(values, Feature::kHour), "13");
}

TEST_F(MessageFeatures, AreUnknownIfNobodySaidThem) {
  const FeatureValues values = of(kMail);
  for (const Feature feature : {Feature::kRecipients, Feature::kLocal, Feature::kAuthenticated,
                                Feature::kBounce, Feature::kSpf, Feature::kDkim, Feature::kDmarc})
    EXPECT_FALSE(values.is_known(feature)) << row_of(feature).name;
}

TEST_F(MessageFeatures, OfTheEnvelopeAreThoseOfTheArrival) {
  arrival_ = {.recipients = 3, .local = false, .authenticated = true, .bounce = false};
  const FeatureValues values = of(kMail);
  EXPECT_EQ(text(values, Feature::kRecipients), "3");
  EXPECT_EQ(text(values, Feature::kLocal), "no");
  EXPECT_EQ(text(values, Feature::kAuthenticated), "yes");
  EXPECT_EQ(text(values, Feature::kBounce), "no");
}

TEST_F(MessageFeatures, OfAuthenticationAreTheBestResultsOfOurServers) {
  ours_ = true;
  results_ = {{.server = "mx", .results = {{"spf", "softfail", {}}, {"dkim", "fail", {}}}},
              {.server = "mx", .results = {{"dkim", "pass", {}}, {"dmarc", "nonsense", {}}}}};
  const FeatureValues values = of(kMail);
  EXPECT_EQ(text(values, Feature::kSpf), "softfail");
  EXPECT_EQ(text(values, Feature::kDkim), "pass");
  EXPECT_EQ(text(values, Feature::kDmarc), "unknown");
}

TEST_F(MessageFeatures, OfTextsThatWereLeftOutAreUnknown) {
  incomplete_ = true;
  links_.reset();
  const FeatureValues values = of(kMail);
  EXPECT_FALSE(values.is_known(Feature::kWords));
  EXPECT_FALSE(values.is_known(Feature::kLanguage));
  EXPECT_FALSE(values.is_known(Feature::kLinks));
  EXPECT_TRUE(values.is_known(Feature::kBytes));
}

}  // namespace
}  // namespace shingled::milter::features
