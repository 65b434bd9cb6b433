#include "milter/setup/sendmail_setup.h"

#include <gtest/gtest.h>

namespace shingled::milter::setup {
namespace {

const SocketSpec kInet{SocketSpec::Kind::kInet, "127.0.0.1", 11339, ""};
constexpr const char* kOwn =
    "INPUT_MAIL_FILTER(`shingled', `S=inet:11339@127.0.0.1, T=S:30s;R:30s')dnl\n";

TEST(SendmailEndpoint, IsWhatSendmailCallsTheMilter) {
  EXPECT_EQ(sendmail_endpoint(kInet), "inet:11339@127.0.0.1");
  EXPECT_EQ(sendmail_endpoint({SocketSpec::Kind::kInet6, "::1", 9, ""}), "inet6:9@::1");
  EXPECT_EQ(sendmail_endpoint({SocketSpec::Kind::kInet, "", 9, ""}), "inet:9@127.0.0.1");
  EXPECT_EQ(sendmail_endpoint({SocketSpec::Kind::kInet6, "", 9, ""}), "inet6:9@::1");
  EXPECT_EQ(sendmail_endpoint({SocketSpec::Kind::kUnix, "", 0, "/run/s"}), "unix:/run/s");
}

TEST(SendmailPlan, ChangesItsLineAlone) {
  struct Case {
    const char* why;
    std::string before;
    std::string after;  ///< empty = the same
  };
  const std::string own = kOwn;
  const Case kCases[] = {
      {"before the first mailer", "OSTYPE(`linux')dnl\nMAILER(`local')dnl\nMAILER(`smtp')dnl\n",
       "OSTYPE(`linux')dnl\n" + own + "MAILER(`local')dnl\nMAILER(`smtp')dnl\n"},
      {"a mailer without quotes", "MAILER(smtp)dnl\n", own + "MAILER(smtp)dnl\n"},
      {"no mailer", "OSTYPE(`linux')dnl\n", "OSTYPE(`linux')dnl\n" + own},
      {"an empty file", "", own},
      {"no end of the last line", "OSTYPE(`linux')dnl", "OSTYPE(`linux')dnl\n" + own},
      {"it is there", own + "MAILER(`smtp')dnl\n", ""},
      {"under another name, in another spelling",
       "INPUT_MAIL_FILTER(`fuzzy', `S=inet:11339@localhost')\nMAILER(`smtp')dnl\n", ""},
      {"commented", "dnl " + own + "MAILER(`smtp')dnl\n",
       "dnl " + own + own + "MAILER(`smtp')dnl\n"},
      {"another socket", "INPUT_MAIL_FILTER(`shingled', `S=local:/run/x')dnl\n", own},
      {"it refuses mail while it is away",
       "INPUT_MAIL_FILTER(`shingled', `S=inet:11339@127.0.0.1, F=R')dnl\n", own},
      {"others stay", "INPUT_MAIL_FILTER(`clamav', `S=local:/run/c')dnl\nMAILER(`smtp')dnl\n",
       "INPUT_MAIL_FILTER(`clamav', `S=local:/run/c')dnl\n" + own + "MAILER(`smtp')dnl\n"},
      {"a list that is written out, to which ours is added",
       "INPUT_MAIL_FILTER(`clamav', `S=local:/run/c')dnl\n"
       "define(`confINPUT_MAIL_FILTERS', `clamav')dnl\nMAILER(`smtp')dnl\n",
       "INPUT_MAIL_FILTER(`clamav', `S=local:/run/c')dnl\n"
       "define(`confINPUT_MAIL_FILTERS', `clamav')dnl\n" +
           own + "MAILER(`smtp')dnl\n"},
      {"a list that replaces what was added before",
       own + "define(`confINPUT_MAIL_FILTERS', `clamav')dnl\nMAILER(`smtp')dnl\n",
       own + "define(`confINPUT_MAIL_FILTERS', `clamav, shingled')dnl\nMAILER(`smtp')dnl\n"},
      {"the same after the mailers",
       "MAILER(`smtp')dnl\ndefine(`confINPUT_MAIL_FILTERS', `clamav')dnl\n",
       own + "MAILER(`smtp')dnl\ndefine(`confINPUT_MAIL_FILTERS', `clamav, shingled')dnl\n"},
      {"a list that has it already, but no filter of this name",
       "define(`confINPUT_MAIL_FILTERS', `shingled')dnl\nMAILER(`smtp')dnl\n",
       "define(`confINPUT_MAIL_FILTERS', `shingled')dnl\n" + own.substr(6) + "MAILER(`smtp')dnl\n"},
      {"twice on the list", "define(`confINPUT_MAIL_FILTERS', `clamav, shingled')dnl\n" + own,
       "define(`confINPUT_MAIL_FILTERS', `clamav, shingled')dnl\n" + own.substr(6)},
      {"a filter that no list has",
       "MAIL_FILTER(`shingled', `S=inet:11339@127.0.0.1')dnl\n"
       "define(`confINPUT_MAIL_FILTERS', `clamav')dnl\n",
       "MAIL_FILTER(`shingled', `S=inet:11339@127.0.0.1')dnl\n"
       "define(`confINPUT_MAIL_FILTERS', `clamav, shingled')dnl\n"},
      {"over several lines",
       "INPUT_MAIL_FILTER(`shingled',\n  `S=inet:11339@127.0.0.1,\n   T=S:30s;R:30s')dnl\n"
       "MAILER(`smtp')dnl\n",
       ""},
      {"over several lines, with another socket",
       "divert(-1)\n(an open parenthesis, and it`s a quote\ndivert(0)dnl\n"
       "INPUT_MAIL_FILTER(`shingled',\n  `S=local:/run/x')dnl\nMAILER(`smtp')dnl\n",
       "divert(-1)\n(an open parenthesis, and it`s a quote\ndivert(0)dnl\n" + own +
           "MAILER(`smtp')dnl\n"},
      {"a list that has it",
       "MAIL_FILTER(`shingled', `S=inet:11339@127.0.0.1')dnl\n"
       "define(`confINPUT_MAIL_FILTERS', `clamav, shingled')dnl\n",
       ""},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    const Plan plan = plan_sendmail("sendmail.mc", test.before, kInet);
    EXPECT_TRUE(plan.problems.empty());
    if (test.after.empty()) {
      EXPECT_TRUE(plan.is_right());
      continue;
    }
    ASSERT_EQ(plan.edits.size(), 1U);
    EXPECT_EQ(plan.edits[0].content, test.after);
    EXPECT_TRUE(plan_sendmail("sendmail.mc", plan.edits[0].content, kInet).is_right());
  }
}

TEST(SendmailPlan, AFilterThatNobodyCallsIsAProblem) {
  const Plan plan =
      plan_sendmail("sendmail.mc", "MAIL_FILTER(`shingled', `S=inet:11339@127.0.0.1')dnl\n", kInet);
  EXPECT_EQ(plan.problems.size(), 1U);
}

TEST(SendmailPlan, ReadsWhatIsNoMacro) {
  for (const char* text : {"INPUT_MAIL_FILTER(", "INPUT_MAIL_FILTER(`a'", "INPUT_MAIL_FILTER()",
                           "INPUT_MAIL_FILTER(`shingled')", "define(", "'''", "```", "MAILER("}) {
    EXPECT_EQ(plan_sendmail("sendmail.mc", text, kInet).differences.size(), 1U) << text;
  }
}

}  // namespace
}  // namespace shingled::milter::setup
