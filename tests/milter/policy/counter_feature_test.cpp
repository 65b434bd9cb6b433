#include "milter/policy/counter_feature.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "milter/features/feature.h"

namespace shingled::milter::policy {
namespace {

TEST(CounterFeature, IsFoundByItsOwnNameOnly) {
  std::set<std::string> names;
  for (const CounterFeature& feature : counter_features()) {
    const std::string name = to_string(feature);
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(find_counter_feature(counter_name(feature), measure_name(feature)), feature) << name;
    EXPECT_FALSE(help_of(feature).empty());
    EXPECT_FALSE(unit_of(feature).empty());
  }
  EXPECT_TRUE(names.contains("link_domain.complaint"));
  EXPECT_TRUE(names.contains("sender_recipient.ham"));
  EXPECT_FALSE(names.contains("unique_recipients.mass"));
  EXPECT_FALSE(names.contains("message_reporter.mass"));
}

TEST(CounterFeature, HasNoNameOfAFeatureOfTheMessage) {
  for (const std::string& name : counter_names())
    EXPECT_EQ(features::find_feature(name), nullptr) << name;
}

TEST(CounterFeature, OfUniquePiecesIsTheMassOfTheUniqueType) {
  struct Case {
    const char* counter;
    const char* measure;
    int type;
  };
  for (const Case& test :
       {Case{"sender", "unique_recipients", 31}, Case{"client", "unique_senders", 33},
        Case{"from_domain", "unique_networks", 35}, Case{"link_domain", "unique_senders", 37},
        Case{"robust_text", "unique_recipients", 39}, Case{"robust_text", "unique_senders", 41},
        Case{"user", "unique_recipients", 45}, Case{"user", "unique_countries", 47},
        Case{"recipient", "unique_senders", 49}, Case{"attachment", "unique_recipients", 67},
        Case{"attachment", "unique_senders", 69}, Case{"stored_hash", "unique_reporters", 72}}) {
    const auto feature = find_counter_feature(test.counter, test.measure);
    ASSERT_TRUE(feature) << test.counter << '.' << test.measure;
    EXPECT_EQ(static_cast<int>(feature->type), test.type);
    EXPECT_EQ(feature->measure, Measure::kMass);
    EXPECT_EQ(whole_of(*feature), std::nullopt);
    EXPECT_EQ(unit_of(*feature), std::string(test.measure).substr(7));
  }
}

TEST(CounterFeature, IsAShareOfMassOrSpam) {
  const auto whole = [](const char* measure) {
    return whole_of(*find_counter_feature("from", measure));
  };
  for (const char* const measure : {"spam", "ham", "complaint", "failed"})
    EXPECT_EQ(whole(measure), Measure::kMass) << measure;
  EXPECT_EQ(whole("rescue"), Measure::kSpam);
  for (const char* const measure : {"mass", "recipients", "bytes"})
    EXPECT_EQ(whole(measure), std::nullopt) << measure;
}

TEST(CounterFeature, KnowsWhatAMessageHasSeveralOf) {
  for (const PieceType type :
       {PieceType::kLinkDomain, PieceType::kRecipient, PieceType::kAttachment,
        PieceType::kSenderRecipient, PieceType::kStoredHash, PieceType::kUniqueTextSenders})
    EXPECT_TRUE(has_several(type)) << to_string(type);
  for (const PieceType type :
       {PieceType::kSender, PieceType::kUser, PieceType::kSubject, PieceType::kUniqueRecipients})
    EXPECT_FALSE(has_several(type)) << to_string(type);
}

TEST(CounterFeature, ListsTheMeasuresOfACounter) {
  EXPECT_EQ(measure_names("nothing").size(), 0U);
  EXPECT_EQ(measure_names("subject").size(), 12U);
  EXPECT_EQ(measure_names("robust_text").size(), 14U);
  EXPECT_EQ(measure_names("user").back(), "unique_countries");
}

}  // namespace
}  // namespace shingled::milter::policy
