// Covers the removal by milter/setup/dovecot_setup.cpp, milter/setup/postfix_setup.cpp,
// milter/setup/rspamd_setup.cpp and milter/setup/sendmail_setup.cpp.

#include <gtest/gtest.h>

#include "milter/setup/dovecot_setup.h"
#include "milter/setup/postfix_setup.h"
#include "milter/setup/rspamd_setup.h"
#include "milter/setup/sendmail_setup.h"

namespace shingled::milter::setup {
namespace {

const SocketSpec kSocket{SocketSpec::Kind::kInet, "127.0.0.1", 11339, ""};

TEST(PostfixRemoval, TakesOutThisFilterAndNothingElse) {
  const struct {
    const char* why;
    SettingMap given;
    SettingMap left;
  } cases[] = {
      {"alone",
       {{"smtpd_milters", "inet:127.0.0.1:11339"}, {"non_smtpd_milters", "$smtpd_milters"}},
       {{"smtpd_milters", ""}}},
      {"between others, with attributes",
       {{"smtpd_milters", "unix:a, { inet:localhost:11339, default_action=accept }, unix:b"},
        {"non_smtpd_milters", "unix:a inet:127.0.0.1:11339"}},
       {{"smtpd_milters", "unix:a, unix:b"}, {"non_smtpd_milters", "unix:a"}}},
      {"at an earlier socket",
       {{"smtpd_milters", "unix:shingled/milter.sock, unix:a"}},
       {{"smtpd_milters", "unix:a"}}},
      {"was never there", {{"smtpd_milters", "unix:a"}, {"milter_default_action", "accept"}}, {}},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.why);
    const PostfixFacts facts{test.given, test.given, test.given, "", "", false};
    SettingMap left;
    for (const Difference& one : plan_postfix_removal(facts, kSocket).differences)
      left[one.setting] = one.wanted;
    EXPECT_EQ(left, test.left);
  }
}

TEST(SendmailRemoval, IsTheOppositeOfTheSetup) {
  for (const char* before :
       {"MAILER(`smtp')dnl\n",
        "INPUT_MAIL_FILTER(`dkim', `S=local:/run/dkim')dnl\nMAILER(`smtp')dnl\n",
        "MAILER(`smtp')dnl\ndefine(`confINPUT_MAIL_FILTERS', `dkim')dnl\n"}) {
    const Plan added = plan_sendmail("sendmail.mc", before, kSocket);
    ASSERT_EQ(added.edits.size(), 1U) << before;
    const Plan removed = plan_sendmail_removal("sendmail.mc", added.edits[0].content);
    ASSERT_EQ(removed.edits.size(), 1U) << before;
    EXPECT_EQ(removed.edits[0].content, before);
    EXPECT_TRUE(plan_sendmail_removal("sendmail.mc", before).is_right());
  }
}

TEST(RspamdRemoval, IsTheOppositeOfTheSetup) {
  const SocketSpec storage{SocketSpec::Kind::kInet, "127.0.0.1", 11335, ""};
  for (const char* before : {"", "rule \"other\" { servers = \"192.0.2.1:11335\"; }\n"}) {
    const Plan added = plan_rspamd("x", before, storage, "", {{"FUZZY_DENIED", 11, 20}});
    const Plan removed = plan_rspamd_removal("x", added.edits.at(0).content + "# later\n");
    ASSERT_EQ(removed.edits.size(), 1U);
    EXPECT_EQ(removed.edits[0].content, std::string(before) + "# later\n");
    EXPECT_TRUE(plan_rspamd_removal("x", before).is_right());
  }
  EXPECT_EQ(plan_rspamd_removal("x", "rule \"shingled\" {\n").problems.size(), 1U);
}

}  // namespace
}  // namespace shingled::milter::setup
