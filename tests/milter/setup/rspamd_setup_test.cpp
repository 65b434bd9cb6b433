#include "milter/setup/rspamd_setup.h"

#include <gtest/gtest.h>

namespace shingled::milter::setup {
namespace {

const SocketSpec kStorage{SocketSpec::Kind::kInet, "127.0.0.1", 11335, ""};
const std::vector<RspamdList> kLists = {{"FUZZY_DENIED", 11, 20}, {"FUZZY_WHITE", 13, 2}};

Plan plan_for(std::string_view text) {
  return plan_rspamd("fuzzy_check.conf", text, kStorage, "", kLists);
}

TEST(RspamdPlan, FindsTheRuleThatIsThere) {
  for (const char* text : {"rule \"local\" { servers = \"127.0.0.1:11335\"; }",
                           "rule x { servers = localhost:11335; }",
                           "rule \"a\" {\n  servers = \"192.0.2.1:11335, 127.0.0.1:11335\";\n}",
                           "rule a { servers = [\"127.0.0.1:11335\"] }",
                           "# note\nrule a { servers \"127.0.0.1:11335\"; }"}) {
    EXPECT_TRUE(plan_for(text).is_right()) << text;
  }
}

TEST(RspamdPlan, AddsItsRuleAndKeepsOthers) {
  for (const char* text : {"", "rule \"other\" { servers = \"192.0.2.1:11335\"; }",
                           "# rule x { servers = \"127.0.0.1:11335\"; }\n", "servers",
                           "servers = \"", "rule \"x\" { servers = \"127.0.0.1:113355\"; }\n"}) {
    SCOPED_TRACE(text);
    const Plan plan = plan_for(text);
    ASSERT_EQ(plan.edits.size(), 1U);
    EXPECT_TRUE(plan.edits[0].content.starts_with(text));
    EXPECT_NE(plan.edits[0].content.find("FUZZY_WHITE { flag = 13; max_score = 2; }"),
              std::string::npos);
    EXPECT_TRUE(plan_for(plan.edits[0].content).is_right());
  }
}

TEST(RspamdPlan, AsksTheAddressOfTheStorage) {
  const auto server = [](const SocketSpec& storage) {
    const std::string text = plan_rspamd("x", "", storage, "", kLists).edits.at(0).content;
    const std::size_t begin = text.find("servers = \"") + 11;
    return text.substr(begin, text.find('"', begin) - begin);
  };
  EXPECT_EQ(server({SocketSpec::Kind::kInet, "", 7, ""}), "127.0.0.1:7");
  EXPECT_EQ(server({SocketSpec::Kind::kInet6, "2001:db8::1", 7, ""}), "[2001:db8::1]:7");
}

TEST(RspamdPlan, EncryptsWhereItHasTo) {
  const std::string text = plan_rspamd("x", "", kStorage, "abc", kLists).edits.at(0).content;
  EXPECT_NE(text.find("  servers = \"127.0.0.1:11335\";\n  encryption_key = \"abc\";\n"),
            std::string::npos)
      << text;
}

TEST(RspamdPlan, AStorageWithoutAPortIsAProblem) {
  EXPECT_EQ(plan_rspamd("x", "", {}, "", kLists).problems.size(), 1U);
}

}  // namespace
}  // namespace shingled::milter::setup
