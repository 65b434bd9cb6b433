#include "milter/actions/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/milter/actions/recording_mta.h"
#include "tests/milter/rules/facts_builder.h"

namespace shingled::milter::actions {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct ActionCase {
  const char* why;
  rules::Action action;
  bool failed;
  std::vector<std::string> requests;
};

TEST(Apply, SendsTheRequestsOfEachAction) {
  const ActionCase cases[] = {
      {"a message that passes loses only forged headers",
       rules::Action::kPass,
       false,
       {"remove x-shingled-score 1"}},
      {"quarantine goes with the headers",
       rules::Action::kQuarantine,
       false,
       {"remove x-shingled-score 1", "quarantine why"}},
      {"a refused message needs no headers",
       rules::Action::kReject,
       false,
       {"reply 550 5.7.1 Message rejected as spam"}},
      {"a message that could not be judged is not called spam",
       rules::Action::kReject,
       true,
       {"reply 550 5.7.1 Message could not be checked"}},
      {"tempfail",
       rules::Action::kTempfail,
       false,
       {"reply 451 4.7.1 Message could not be accepted now, please try again later"}},
      {"a discarded message needs nothing", rules::Action::kDiscard, false, {}},
  };
  for (const ActionCase& c : cases) {
    rules::Verdict verdict;
    verdict.action = c.action;
    verdict.reason = "why";
    verdict.failed = c.failed;
    ForgedHeaders forged({});
    forged.see("X-Shingled-Score");
    Decision decision = decide(verdict, {}, forged, {});
    if (c.failed) decision.edits.clear();
    RecordingMta mta;
    EXPECT_TRUE(apply(decision, mta).has_value()) << c.why;
    EXPECT_EQ(mta.requests, c.requests) << c.why;
  }
}

TEST(Apply, SendsTheOtherRequestsWhenTheMtaDeclinesOneAndReturnsTheFirstError) {
  rules::Verdict verdict;
  verdict.action = rules::Action::kQuarantine;
  ForgedHeaders forged({});
  forged.see("X-Shingled-Score");
  forged.see("X-Shingled-Score");
  RecordingMta mta;
  mta.declines = true;
  const Status status = apply(decide(verdict, {}, forged, {}), mta);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().message, "declined");
  EXPECT_EQ(mta.requests.size(), 3U);
}

TEST(ReplyText, IsOneLineOfAsciiWithAnyConfiguration) {
  rules::Verdict verdict;
  verdict.action = rules::Action::kReject;
  EXPECT_EQ(reply_for(verdict, "no\r\n250 OK\xff")->text, "no??250 OK?");
  EXPECT_LE(reply_for(verdict, std::string(5000, 'x'))->text.size(), 400U);
  EXPECT_EQ(reply_for(verdict, "no", "4XyzQ1")->text, "no (id 4XyzQ1)");
  EXPECT_EQ(reply_for(verdict, "no", "4\r\n")->text,
            "no (id 4?"
            "?)");
  const std::string longest = reply_for(verdict, std::string(5000, 'x'), "4XyzQ1")->text;
  EXPECT_LE(longest.size(), 400U);
  EXPECT_TRUE(longest.ends_with("x (id 4XyzQ1)")) << "the id is never cut off";
  verdict.failed = true;
  EXPECT_EQ(reply_for(verdict, "no", "4XyzQ1")->text, "Message could not be checked (id 4XyzQ1)");
}

TEST(ReplyText, ExistsOnlyForRefusals) {
  for (const rules::Action action : {rules::Action::kPass, rules::Action::kAddHeader,
                                     rules::Action::kQuarantine, rules::Action::kDiscard}) {
    rules::Verdict verdict;
    verdict.action = action;
    EXPECT_FALSE(reply_for(verdict, "no").has_value()) << rules::to_string(action);
  }
}

}  // namespace
}  // namespace shingled::milter::actions
