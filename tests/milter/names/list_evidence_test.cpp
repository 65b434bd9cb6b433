// Covers milter/names/name_list.cpp.
#include "milter/names/list_evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shingled::milter::names {
namespace {

using features::MessageNames;
using rules::Action;
using rules::Evidence;
using ::testing::HasSubstr;
using ::testing::Not;

class ListEvidence : public ::testing::Test {
 protected:
  rules::Findings judged(const std::string& allow, const std::string& block) {
    Lists lists;
    const auto files = list_files_of(options_);
    lists.set(files[0], std::make_shared<const NameList>(allow, files[0].form));
    lists.set(files[1], std::make_shared<const NameList>(block, files[1].form));
    return list_findings(lists, options_, names_);
  }

  PolicyOptions options_;
  MessageNames names_;
};

TEST_F(ListEvidence, AllowsOnlyWhatIsProved) {
  names_.set(Name::kClaimedFrom, {"news@shop.example"});
  names_.set(Name::kListId, {"list.shop.example"});
  names_.set(Name::kRecipient, {"me@here.example"});
  const std::string allow = "from news@shop.example # asked for\nlist_id list.shop.example\n";
  EXPECT_TRUE(judged(allow, "").evidence.empty()) << "forged";
  names_.set(Name::kFrom, {"news@shop.example"});
  const auto found = judged(allow, "");
  ASSERT_EQ(found.evidence.size(), 1U);
  EXPECT_EQ(found.evidence[0].symbol, "ALLOW_LIST");
  EXPECT_EQ(found.evidence[0].at_most, Action::kPass);
  EXPECT_EQ(found.evidence[0].place, "allow.list:1");
  const rules::Explanation explanation = found.evidence[0].explanation();
  EXPECT_EQ(explanation.log,
            "ALLOW_LIST accept: from news@shop.example in allow.list:1 # asked for");
  EXPECT_THAT(explanation.header, Not(HasSubstr("asked"))) << "the remark is for us";
}

TEST_F(ListEvidence, BlocksWhatIsClaimed) {
  names_.set(Name::kClaimedFromDomain, {"casino.example", "other.example"});
  options_.block_action = PolicyAction::kQuarantine;
  const auto found = judged("", "from_domain .casino.example\n");
  ASSERT_EQ(found.evidence.size(), 1U);
  EXPECT_EQ(found.evidence[0].symbol, "BLOCK_LIST");
  EXPECT_EQ(found.evidence[0].action, Action::kQuarantine);
}

TEST_F(ListEvidence, ShowsButDoesNotCountABlockOfAllowedMail) {
  names_.set(Name::kClient, {"192.0.2.1"});
  const auto found = judged("client 192.0.2.1\n", "client 192.0.2.0/24\n");
  ASSERT_EQ(found.evidence.size(), 2U);
  EXPECT_EQ(found.evidence[1].effect, Evidence::Effect::kSpared);
}

TEST_F(ListEvidence, DeliversToAnAllowedRecipientWithoutTellingTheOthers) {
  names_.set(Name::kRecipient, {"me@here.example", "abuse@here.example"});
  const auto found = judged("recipient abuse@\n", "");
  ASSERT_EQ(found.evidence.size(), 1U);
  EXPECT_EQ(found.evidence[0].symbol, "ALLOW_LIST_TO");
  EXPECT_EQ(found.evidence[0].at_most, Action::kAddHeader);
  EXPECT_THAT(found.evidence[0].explanation().header, Not(HasSubstr("abuse")));
  EXPECT_THAT(found.evidence[0].explanation().log, HasSubstr("abuse@here.example"));
}

TEST_F(ListEvidence, AsksNothingOfEmptyLists) { EXPECT_FALSE(judged("", "# none\n").asked); }

}  // namespace
}  // namespace shingled::milter::names
