// Covers milter/setup/dovecot23_change.cpp, milter/setup/dovecot24_change.cpp.
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
  out.compiled = "/var/cache/shingled/dovecot";
  return out;
}

/// What doveconf says after a file was added: settings of our file come last.
std::string with_file(const std::string& config, const Plan& plan) {
  return config + plan.edits.at(0).content;
}

TEST(DovecotPlan, MakesOneFileThatIsThenRight) {
  const Plan plan = plan_dovecot(facts(kDebian));
  ASSERT_EQ(plan.edits.size(), 1U);
  EXPECT_EQ(plan.edits[0].path, "/etc/dovecot/conf.d/95-shingled.conf");
  const std::string& text = plan.edits[0].content;
  for (const char* line :
       {"  mail_plugins = $mail_plugins imap_sieve\n", "  imapsieve_mailbox1_name = Junk\n",
        "  imapsieve_mailbox2_from = Junk\n", "  imapsieve_mailbox2_name = *\n",
        "  imapsieve_mailbox1_before = file:/usr/share/shingled/dovecot/report-spam.sieve"
        ";bindir=/var/cache/shingled/dovecot\n",
        "  sieve_plugins = sieve_imapsieve sieve_extprograms\n",
        "  sieve_pipe_bin_dir = /usr/share/shingled/dovecot/bin\n",
        "protocol lda {\n  mail_plugins = $mail_plugins sieve\n}\n",
        "protocol lmtp {\n  mail_plugins = $mail_plugins sieve\n}\n",
        "  sieve_before = file:/usr/share/shingled/dovecot/marked-to-junk.sieve"
        ";bindir=/var/cache/shingled/dovecot\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
  EXPECT_EQ(text.find("sieve_env_"), std::string::npos) << "the names are those of the script";
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
  for (const char* main : {"!include_try conf.d/*.conf\n", "a = b\n!include conf.d/*.conf\n",
                           "!include conf.d/95-shingled.conf\n"}) {
    given.main = main;
    EXPECT_EQ(plan_dovecot(given).edits.size(), 1U) << main;
  }
}

TEST(DovecotPlan, MarkedMailIsFiledBehindTheScriptsThatAreThere) {
  const std::string config =
      "plugin {\n  sieve_before = /etc/dovecot/before.d\n  sieve_before2 = /etc/dovecot/b.sieve\n"
      "  sieve_before4 = /etc/dovecot/never-read.sieve\n}\n";
  const Plan plan = plan_dovecot(facts(config));
  EXPECT_NE(plan.edits.at(0).content.find(
                "  sieve_before3 = file:/usr/share/shingled/dovecot/marked-to-junk.sieve;bindir="),
            std::string::npos);
  EXPECT_TRUE(plan_dovecot(facts(with_file(config, plan))).is_right());
}

/// A mailbox that nobody made yet has no special use, so the script needs its name.
TEST(DovecotPlan, TheScriptOfMarkedMailIsToldNamesThatAreNotItsOwn) {
  const std::string config =
      "namespace inbox {\n  prefix = INBOX.\n  mailbox \"Junk Mail\" {\n    special_use = "
      "\\Junk\n  }\n}\n";
  DovecotFacts given = facts(config);
  given.status_header = "X-Ours";
  given.spam_header = "X-Ours-Spam";
  const Plan plan = plan_dovecot(given);
  for (const char* line :
       {"  sieve_env_shingled_junk = INBOX.Junk Mail\n", "  sieve_env_shingled_status = X-Ours\n",
        "  sieve_env_shingled_spam = X-Ours-Spam\n"}) {
    EXPECT_NE(plan.edits.at(0).content.find(line), std::string::npos) << line;
  }
  given.config = with_file(config, plan);
  EXPECT_TRUE(plan_dovecot(given).is_right());
  given.status_header = DovecotFacts{}.status_header;
  EXPECT_FALSE(plan_dovecot(given).is_right()) << "the header has another name again";
}

TEST(DovecotPlan, WithoutAStatusNoMailIsFiled) {
  DovecotFacts given = facts(kDebian);
  given.status_header = "";
  const Plan plan = plan_dovecot(given);
  EXPECT_EQ(plan.edits.at(0).content.find("marked-to-junk"), std::string::npos);
  EXPECT_NE(plan.notes.at(0).find("milter.headers.status"), std::string::npos);
}

/// The rule goes, and with it nothing else; without a rule its absence is right.
TEST(DovecotPlan, TheRuleOfMarkedMailCanBeLeftOut) {
  for (const char* version : {"2.3.19.1 (9b53102964)", "2.4.1-4 (7d8c0e5759)"}) {
    SCOPED_TRACE(version);
    DovecotFacts given = facts(kDebian);
    given.version = version;
    given.config = with_file(kDebian, plan_dovecot(given));
    given.junk_rule = false;
    const Plan plan = plan_dovecot(given);
    ASSERT_EQ(plan.differences.size(), 1U);
    EXPECT_EQ(plan.differences[0].wanted, "");
    EXPECT_NE(plan.differences[0].now.find("marked-to-junk.sieve"), std::string::npos);
    const std::string& text = plan.edits.at(0).content;
    EXPECT_EQ(text.find("marked-to-junk"), std::string::npos);
    EXPECT_EQ(text.find("protocol lmtp"), std::string::npos);
    EXPECT_NE(text.find("report-ham"), std::string::npos);
    given.config = with_file(kDebian, plan);
    EXPECT_TRUE(plan_dovecot(given).is_right());
  }
}

/// As Debian 13's doveconf prints it.
constexpr const char* kDebian13 = R"(# 2.4.1-4 (7d8c0e5759): /etc/dovecot/dovecot.conf
dovecot_config_version = 2.4.0
mail_driver = mbox
protocols {
  imap = yes
}
namespace inbox {
  inbox = yes
  mailbox Junk {
    special_use = "\\Junk"
  }
  mailbox "Sent Messages" {
    special_use = "\\Sent"
  }
}
)";

DovecotFacts facts24(std::string config) {
  DovecotFacts out = facts(std::move(config));
  out.version = "2.4.1-4 (7d8c0e5759)";
  return out;
}

TEST(DovecotPlan24, MakesOneFileThatIsThenRight) {
  const Plan plan = plan_dovecot(facts24(kDebian13));
  ASSERT_EQ(plan.edits.size(), 1U);
  EXPECT_EQ(plan.differences.size(), 20U);
  EXPECT_EQ(plan.edits[0].path, "/etc/dovecot/conf.d/95-shingled.conf");
  EXPECT_EQ(plan.edits[0].content,
            R"(# Reports by moves into and out of Junk; made by: shingled setup dovecot --apply
protocol imap {
  mail_plugins {
    imap_sieve = yes
  }
}
sieve_plugins {
  sieve_imapsieve = yes
  sieve_extprograms = yes
}
sieve_global_extensions {
  special-use = yes
  vnd.dovecot.pipe = yes
  vnd.dovecot.environment = yes
}
sieve_pipe_bin_dir = /usr/share/shingled/dovecot/bin
mailbox "Junk" {
  sieve_script shingled-spam {
    type = before
    cause = copy
    path = /usr/share/shingled/dovecot/report-spam.sieve
    bin_path = /var/cache/shingled/dovecot
  }
}
imapsieve_from "Junk" {
  sieve_script shingled-ham {
    type = before
    cause = copy
    path = /usr/share/shingled/dovecot/report-ham.sieve
    bin_path = /var/cache/shingled/dovecot
  }
}
protocol lda {
  mail_plugins {
    sieve = yes
  }
}
protocol lmtp {
  mail_plugins {
    sieve = yes
  }
}
sieve_script shingled-junk {
  type = before
  path = /usr/share/shingled/dovecot/marked-to-junk.sieve
  bin_path = /var/cache/shingled/dovecot
}
)");
  EXPECT_TRUE(plan_dovecot(facts24(with_file(kDebian13, plan))).is_right());
}

/// Dovecot 2.4 wants the prefix of the namespace in one place, and in the other it must not be.
TEST(DovecotPlan24, NamesTheMailboxOfSpamAsEachBlockWantsIt) {
  const std::string config =
      "namespace inbox {\n  prefix = INBOX.\n  mailbox \"Нежелательная почта\" {\n"
      "    special_use = \"\\\\Junk \\\\Flagged\"\n  }\n}\n";
  const Plan plan = plan_dovecot(facts24(config));
  const std::string& text = plan.edits.at(0).content;
  EXPECT_NE(text.find("\nmailbox \"Нежелательная почта\" {\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nimapsieve_from \"INBOX.Нежелательная почта\" {\n"), std::string::npos);
  EXPECT_NE(text.find("\nsieve_environment {\n  shingled_junk = INBOX.Нежелательная почта\n}\n"),
            std::string::npos);
  EXPECT_TRUE(plan_dovecot(facts24(with_file(config, plan))).is_right());
}

TEST(DovecotPlan24, WhatIsThereIsNoDifference) {
  const Plan plan = plan_dovecot(
      facts24("protocol imap {\n  mail_plugins = quota imap_sieve\n}\n"
              "protocol lmtp {\n  mail_plugins = quota sieve\n}\n"
              "sieve_plugins = sieve_extprograms\nsieve_global_extensions {\n  special-use = no\n"
              "  vnd.dovecot.pipe = yes\n}\nsieve_pipe_bin_dir = /etc/dovecot/programs\n"));
  std::vector<std::string> settings;
  for (const Difference& one : plan.differences) settings.push_back(one.setting + "=" + one.now);
  EXPECT_EQ(settings,
            (std::vector<std::string>{
                "sieve_plugins/sieve_imapsieve=", "sieve_global_extensions/special-use=no",
                "sieve_global_extensions/vnd.dovecot.environment=",
                "mailbox Junk/sieve_script shingled-spam/type=",
                "mailbox Junk/sieve_script shingled-spam/cause=",
                "mailbox Junk/sieve_script shingled-spam/path=",
                "mailbox Junk/sieve_script shingled-spam/bin_path=",
                "imapsieve_from Junk/sieve_script shingled-ham/type=",
                "imapsieve_from Junk/sieve_script shingled-ham/cause=",
                "imapsieve_from Junk/sieve_script shingled-ham/path=",
                "imapsieve_from Junk/sieve_script shingled-ham/bin_path=",
                "protocol lda/mail_plugins/sieve=", "sieve_script shingled-junk/type=",
                "sieve_script shingled-junk/path=", "sieve_script shingled-junk/bin_path="}));
  EXPECT_EQ(plan.edits.at(0).content.find("sieve_pipe_bin_dir"), std::string::npos);
  EXPECT_NE(plan.notes.at(0).find("ln -s /usr/share/shingled/dovecot/bin/shingled-report "
                                  "/etc/dovecot/programs"),
            std::string::npos);
}

/// Dovecot 2.4 reads no backslash in the name of a block.
TEST(DovecotPlan24, AMailboxThatNoSettingCanNameIsAProblem) {
  const Plan plan = plan_dovecot(
      facts24("namespace inbox {\n  mailbox a\"b {\n    special_use = \"\\\\Junk\"\n  }\n}\n"));
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_TRUE(plan.edits.empty());
}

TEST(DovecotPlan, AnotherVersionIsAProblem) {
  for (const char* version : {"2.2.36", "2.5.0 (7d8c0e5759)", "3.0", ""}) {
    DovecotFacts given = facts("");
    given.version = version;
    EXPECT_EQ(plan_dovecot(given).problems.size(), 1U) << version;
  }
}

}  // namespace
}  // namespace shingled::milter::setup
