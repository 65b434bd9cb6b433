// Covers milter/setup/dovecot_setup.cpp.
#include <gtest/gtest.h>

#include "milter/setup/dovecot_setup.h"

namespace shingled::milter::setup {
namespace {

TEST(Doveconf, IsParsed) {
  struct Case {
    const char* why;
    const char* text;
    const char* name;
    const char* value;
  };
  constexpr Case kCases[] = {
      {"a setting", "mail_driver = mbox\n", "mail_driver", "mbox"},
      {"a block with a name", "protocol imap {\n  a = b\n}\n", "protocol imap/a", "b"},
      {"blocks in blocks", "a {\n  b {\n    c = d\n  }\n}\n", "a/b/c", "d"},
      {"after a block", "a {\n}\nb = c\n", "b", "c"},
      {"quotes around a name", "mailbox \"Sent Messages\" {\n  a = b\n}\n",
       "mailbox Sent Messages/a", "b"},
      {"quotes and blanks in a value, as 2.3 prints", "protocols = \" imap\"\n", "protocols",
       "imap"},
      {"a backslash without quotes, as 2.3 prints", "special_use = \\Junk\n", "special_use",
       "\\Junk"},
      {"a backslash in quotes, as 2.4 prints", "special_use = \"\\\\Junk\"\n", "special_use",
       "\\Junk"},
      {"a quote in quotes", "a = \"say \\\"x\\\"\"\n", "a", "say \"x\""},
      {"no value", "prefix = \n", "prefix", ""},
      {"a value with =", "plugin {\n  sieve = file:~/sieve;active=~/.s\n}\n", "plugin/sieve",
       "file:~/sieve;active=~/.s"},
      {"a comment", "# a = c\na = b\n", "a", "b"},
  };
  for (const Case& c : kCases) {
    const DoveSettings settings = parse_doveconf(c.text);
    ASSERT_TRUE(settings.contains(c.name)) << c.why;
    EXPECT_EQ(settings.size(), 1U) << c.why;
    EXPECT_EQ(setting_of(settings, c.name), c.value) << c.why;
  }
  EXPECT_EQ(setting_of({}, "a"), "");
}

TEST(Doveconf, WhatIsTornBreaksNothing) {
  for (const char* text :
       {"}", "} } {", "{", "=", "a {\n", "a = b", "a \" {\n=", "a = \"", "\"\\", "a = \"\\\""})
    parse_doveconf(text);
}

TEST(Doveconf, FindsTheMailboxOfAUse) {
  const DoveSettings settings = parse_doveconf(
      "namespace inbox {\n  prefix = INBOX/\n  mailbox \"Junk Mail\" {\n"
      "    special_use = \\Flagged \\Junk\n  }\n  mailbox Junk {\n    special_use = \\Trash\n  "
      "}\n}\n"
      "mailbox Other {\n  special_use = \\Junk\n}\n");
  const DoveMailbox junk = mailbox_for(settings, "\\Junk", "Spam");
  EXPECT_EQ(junk.prefix, "INBOX/");
  EXPECT_EQ(junk.name, "Junk Mail");
  EXPECT_EQ(junk.whole(), "INBOX/Junk Mail");
  EXPECT_EQ(mailbox_for(settings, "\\Archive", "Old").whole(), "Old");
}

}  // namespace
}  // namespace shingled::milter::setup
