#include "milter/setup/dovecot_setup.h"

#include <gtest/gtest.h>

namespace shingled::milter::setup {
namespace {

constexpr const char* kDebian = R"(# 2.3.19.1 (9b53102964): /etc/dovecot/dovecot.conf
namespace inbox {
  inbox = yes
  mailbox Junk {
    special_use = \Junk
  }
  mailbox "Sent Messages" {
    special_use = \Sent
  }
}
plugin {
  sieve = file:~/sieve;active=~/.dovecot.sieve
}
protocols = " imap"
)";

DovecotFacts facts(std::string config) {
  DovecotFacts out;
  out.version = "2.3.19.1 (9b53102964)";
  out.config = std::move(config);
  out.folder = "/etc/dovecot";
  out.main = "protocols = imap\n!include conf.d/*.conf\n";
  out.share = "/usr/share/shingled/dovecot";
  return out;
}

/// What doveconf says after a file was added: settings of our file come last.
std::string with_file(const std::string& config, const Plan& plan) {
  return config + plan.edits.at(0).content;
}

TEST(Doveconf, IsParsed) {
  const auto settings = parse_doveconf(kDebian);
  EXPECT_EQ(settings.at("namespace inbox/mailbox Junk/special_use"), "\\Junk");
  EXPECT_EQ(settings.at("protocols"), "imap");
  EXPECT_EQ(settings.at("plugin/sieve"), "file:~/sieve;active=~/.dovecot.sieve");
  for (const char* text : {"}", "} } {", "{", "=", "a {\n", "a = b"}) parse_doveconf(text);
}

TEST(DovecotPlan, MakesOneFileThatIsThenRight) {
  const Plan plan = plan_dovecot(facts(kDebian));
  ASSERT_EQ(plan.edits.size(), 1U);
  EXPECT_EQ(plan.edits[0].path, "/etc/dovecot/conf.d/95-shingled.conf");
  const std::string& text = plan.edits[0].content;
  for (const char* line :
       {"  mail_plugins = $mail_plugins imap_sieve\n", "  imapsieve_mailbox1_name = Junk\n",
        "  imapsieve_mailbox2_from = Junk\n", "  imapsieve_mailbox2_name = *\n",
        "  imapsieve_mailbox1_before = file:/usr/share/shingled/dovecot/report-spam.sieve\n",
        "  sieve_plugins = sieve_imapsieve sieve_extprograms\n",
        "  sieve_pipe_bin_dir = /usr/share/shingled/dovecot/bin\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
  EXPECT_TRUE(plan_dovecot(facts(with_file(kDebian, plan))).is_right());
}

TEST(DovecotPlan, KeepsWhatOthersConfigured) {
  const std::string config = R"(mail_plugins = quota
namespace inbox {
  mailbox "Junk Mail" {
    special_use = \Junk
  }
}
plugin {
  imapsieve_mailbox1_name = Archive
  imapsieve_mailbox1_causes = COPY
  imapsieve_mailbox1_before = file:/etc/dovecot/archive.sieve
  sieve_global_extensions = +editheader
  sieve_pipe_bin_dir = /usr/lib/dovecot/sieve-pipe
  sieve_plugins = sieve_storage_ldap
}
protocol imap {
  mail_plugins = quota imap_quota
}
)";
  const Plan plan = plan_dovecot(facts(config));
  ASSERT_EQ(plan.edits.size(), 1U);
  const std::string& text = plan.edits[0].content;
  for (const char* line :
       {"  mail_plugins = $mail_plugins imap_sieve\n", "  imapsieve_mailbox2_name = Junk Mail\n",
        "  imapsieve_mailbox3_from = Junk Mail\n",
        "  sieve_plugins = sieve_storage_ldap sieve_imapsieve sieve_extprograms\n",
        "  sieve_global_extensions = +editheader +special-use +vnd.dovecot.pipe "
        "+vnd.dovecot.environment\n",
        "  sieve_pipe_bin_dir = /usr/lib/dovecot/sieve-pipe\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(text.find("mailbox1"), std::string::npos);
  EXPECT_NE(plan.notes.at(0).find("ln -s /usr/share/shingled/dovecot/bin/shingled-report"),
            std::string::npos);
  EXPECT_TRUE(plan_dovecot(facts(with_file(config, plan))).is_right());
}

TEST(DovecotPlan, FindsTheMailboxOfSpam) {
  struct Case {
    const char* config;
    const char* mailbox;
  };
  constexpr Case kCases[] = {
      {"", "Junk"},
      {"namespace inbox {\n  mailbox Spam {\n    special_use = \\Junk \\Flagged\n  }\n  prefix = "
       "INBOX.\n}\n",
       "INBOX.Spam"},
      {"namespace inbox {\n  mailbox \"Нежелательная почта\" {\n    special_use = \\Junk\n  }\n  "
       "prefix = \n}\n",
       "Нежелательная почта"},
      {"namespace inbox {\n  mailbox Junk {\n    special_use = \\Trash\n  }\n}\n", "Junk"},
  };
  for (const Case& test : kCases) {
    const std::string text = plan_dovecot(facts(test.config)).edits.at(0).content;
    EXPECT_NE(text.find("mailbox1_name = " + std::string(test.mailbox) + "\n"), std::string::npos)
        << text;
  }
}

TEST(DovecotPlan, TakesFreeNumbers) {
  const std::string config =
      "plugin {\n  imapsieve_mailbox1_name = Junk\n  imapsieve_mailbox1_causes = COPY\n"
      "  imapsieve_mailbox1_before = file:/usr/share/shingled/dovecot/report-spam.sieve\n"
      "  imapsieve_mailbox2_name = Archive\n}\n";
  const std::string text = plan_dovecot(facts(config)).edits.at(0).content;
  EXPECT_EQ(text.find("mailbox2"), std::string::npos) << "it is another's";
  EXPECT_NE(text.find("imapsieve_mailbox3_from = Junk\n"), std::string::npos);
}

TEST(DovecotPlan, AFolderThatIsNotReadIsIncluded) {
  DovecotFacts given = facts(kDebian);
  given.main = "protocols = imap";
  const Plan plan = plan_dovecot(given);
  ASSERT_EQ(plan.edits.size(), 2U);
  EXPECT_EQ(plan.edits[1].content, "protocols = imap\n!include conf.d/95-shingled.conf\n");
}

TEST(DovecotPlan, AnotherVersionIsAProblem) {
  DovecotFacts given = facts("");
  given.version = "2.4.1-4 (7d8c0e5759)";
  const Plan plan = plan_dovecot(given);
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_NE(plan.problems[0].find("shingled-2.4.conf"), std::string::npos);
}

}  // namespace
}  // namespace shingled::milter::setup
