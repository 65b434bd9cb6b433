#include "milter/reports/mailbox_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/temporary_directory.h"

namespace shingled::milter::reports {
namespace {

struct Case {
  const char* why;
  const char* reporter;
};

/// All of them are one person.
constexpr Case kAnn[] = {
    {"as mail has it", "ann@example.org"},
    {"as IMAP has it", "ann"},
    {"another case", "Ann@Example.ORG"},
    {"blanks around it", " ann@example.org\t"},
    {"angle brackets", "<ann@example.org>"},
    {"quotes", "\"ann\"@example.org"},
    {"the root's dot", "ann@example.org."},
    {"a tag", "ann+news@example.org"},
    {"a tag alone", "ANN+a"},
    {"a mark of her own server", "prvs=0123456789=ann@example.org"},
};

TEST(MailboxNames, KnowOnePersonByEachForm) {
  NullLogger logger;
  MailboxNames names(logger);
  names.refresh("example.org", "");
  for (const Case& c : kAnn) EXPECT_EQ(names.mailbox_of(c.reporter), "ann@example.org") << c.why;
  EXPECT_EQ(names.mailbox_of("bob"), "bob@example.org");
  EXPECT_EQ(names.mailbox_of("ann@example.net"), "ann@example.net") << "somebody else";
  EXPECT_EQ(names.mailbox_of("SRS0=AAAA=BB=example.org=ann@evil.example"),
            "srs0=aaaa=bb=example.org=ann@evil.example")
      << "a stranger who writes her address into his own";
}

TEST(MailboxNames, KeepsANameThatIsNotAnAddress) {
  NullLogger logger;
  MailboxNames names(logger);
  names.refresh("example.org", "");
  EXPECT_EQ(names.mailbox_of("@"), "@");
  EXPECT_EQ(names.mailbox_of("<>"), "<>");
}

TEST(MailboxNames, ReadsAliasesAgainWhenTheyChange) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.file("virtual");
  const auto write = [&](const char* text) {
    const std::string next = path + ".new";
    std::ofstream(next) << text;
    ASSERT_EQ(::rename(next.c_str(), path.c_str()), 0);
  };
  NullLogger logger;
  MailboxNames names(logger);
  write("info ann\n");
  EXPECT_TRUE(names.refresh("example.org", path));
  EXPECT_EQ(names.mailbox_of("info"), "ann@example.org");
  EXPECT_FALSE(names.refresh("example.org", path)) << "nothing has changed";
  write("info bob\n");
  EXPECT_TRUE(names.refresh("example.org", path));
  EXPECT_EQ(names.mailbox_of("info"), "bob@example.org");
  ASSERT_EQ(::unlink(path.c_str()), 0);
  names.refresh("example.org", path);
  EXPECT_EQ(names.mailbox_of("info"), "bob@example.org") << "a lost file changes nobody";
  EXPECT_TRUE(names.refresh("example.org", ""));
  EXPECT_EQ(names.mailbox_of("info"), "info@example.org") << "but the settings do";
  EXPECT_TRUE(names.refresh("example.net", ""));
  EXPECT_EQ(names.mailbox_of("info"), "info@example.net");
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReportOptions trusting(std::vector<std::string> names, std::string domain = "") {
  ReportOptions out;
  out.trusted_reporters = std::move(names);
  out.domain = std::move(domain);
  return out;
}

constexpr const char* kAliases = "root: ann\ninfo@example.org: ben@example.org\n";

TEST(BareNames, AreThoseOfAMachineThatIsOnlyAHost) {
  EXPECT_THAT(bare_names(trusting({"a@example.org", "postmaster"}), "mail", ""),
              ElementsAre(BareName{"reports.trusted_reporters[1]", "postmaster"}));
  EXPECT_THAT(bare_names(trusting({"ann"}), "", ""),
              ElementsAre(BareName{"reports.trusted_reporters[0]", "ann"}));
  EXPECT_THAT(bare_names(trusting({}), "mail", kAliases),
              ElementsAre(BareName{"reports.aliases", "ann"}));
}

TEST(BareNames, AreNoMatterWhereTheDomainIsKnown) {
  EXPECT_THAT(bare_names(trusting({"postmaster"}), "example.org", kAliases), IsEmpty());
  EXPECT_THAT(bare_names(trusting({"postmaster"}, "example.org"), "mail", kAliases), IsEmpty());
  EXPECT_THAT(bare_names(trusting({"a@example.org"}), "mail", "a@x.example b@x.example\n"),
              IsEmpty());
}

TEST(BareNames, SayWhatToDo) {
  const BareName bare{"reports.trusted_reporters[0]", "ann"};
  EXPECT_THAT(why_bare(bare, "mail"), HasSubstr("'ann' has no domain, so it is ann@mail"));
  EXPECT_THAT(why_bare(bare, ""), HasSubstr("does not know its domain; set reports.domain"));
}

}  // namespace
}  // namespace shingled::milter::reports
