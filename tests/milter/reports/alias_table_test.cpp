#include "milter/reports/alias_table.h"

#include <gtest/gtest.h>

#include <string>

namespace shingled::milter::reports {
namespace {

std::string mailbox(std::string_view file, std::string_view address) {
  std::optional<AliasTable::Mistake> mistake;
  const AliasTable table = AliasTable::parse(file, "example.org", mistake);
  EXPECT_FALSE(mistake) << mistake->line << ": " << mistake->what;
  return table.mailbox_of(address);
}

struct Case {
  const char* why;
  const char* file;
  const char* address;
  const char* mailbox;
};

constexpr Case kCases[] = {
    {"an empty file says nothing", "", "ann@example.org", "ann@example.org"},
    {"virtual", "info@example.org ann@example.org", "info@example.org", "ann@example.org"},
    {"virtual with tabs and a local target", "info@example.org\t\tann", "info@example.org",
     "ann@example.org"},
    {"aliases", "info: ann", "info@example.org", "ann@example.org"},
    {"aliases without a blank", "info:ann", "info@example.org", "ann@example.org"},
    {"a quoted name", "\"info:desk\": ann", "info:desk@example.org", "ann@example.org"},
    {"case and +tag do not count", "Info+x@Example.ORG Ann", "info@example.org", "ann@example.org"},
    {"one name leads to the next", "a: b\nb: c\nc: ann", "a@example.org", "ann@example.org"},
    {"several targets are a list of people", "all: ann, bob", "all@example.org", "all@example.org"},
    {"also with blanks between them", "all@example.org ann bob", "all@example.org",
     "all@example.org"},
    {"a program is not a person", "bot: |/usr/bin/bot", "bot@example.org", "bot@example.org"},
    {"nor in quotes", "bot: \"|/usr/bin/bot -x\"", "bot@example.org", "bot@example.org"},
    {"nor a file", "log: /var/mail/log", "log@example.org", "log@example.org"},
    {"nor an included list", "all: :include:/etc/all", "all@example.org", "all@example.org"},
    {"a whole domain", "@old.example @example.org", "ann@old.example", "ann@example.org"},
    {"a whole domain for one person", "@ann.example ann@example.org", "shop@ann.example",
     "ann@example.org"},
    {"an address goes before its domain",
     "@old.example @example.org\nx@old.example bob@example.org", "x@old.example",
     "bob@example.org"},
    {"other people's domains", "ann@partner.example ann@home.example", "ann@partner.example",
     "ann@home.example"},
    {"an international domain",
     "ann@b\xC3\xBC"
     "cher.example ann",
     "ann@xn--bcher-kva.example", "ann@example.org"},
    {"the first entry counts", "info: ann\ninfo: bob", "info@example.org", "ann@example.org"},
    {"comments", "# info: bob\n\ninfo: ann # the desk", "info@example.org", "ann@example.org"},
    {"a line that goes on", "info:\n  ann", "info@example.org", "ann@example.org"},
    {"a list that goes on is still a list", "all: ann,\n\tbob", "all@example.org",
     "all@example.org"},
    {"a comment within a line that goes on", "all: ann,\n# who else?\n bob", "all@example.org",
     "all@example.org"},
    {"CRLF", "info: ann\r\nother: bob\r\n", "info@example.org", "ann@example.org"},
    {"itself", "ann: ann", "ann@example.org", "ann@example.org"},
    {"a circle of two", "a: b\nb: a", "a@example.org", "a@example.org"},
    {"a way into a circle", "x: a\na: b\nb: a", "x@example.org", "x@example.org"},
    {"a domain that grows into itself", "@example.org @example.org\n@b.example @b.example",
     "ann@b.example", "ann@b.example"},
};

TEST(AliasTable, SaysWhoseAddressItIs) {
  for (const Case& c : kCases) EXPECT_EQ(mailbox(c.file, c.address), c.mailbox) << c.why;
}

TEST(AliasTable, NamesTheFirstLineThatIsWrongAndKeepsTheRest) {
  std::optional<AliasTable::Mistake> mistake;
  const AliasTable table = AliasTable::parse(
      "a: ann\n# fine\nbroken\n b\n\nx: @y.example\nc: ann\n", "example.org", mistake);
  ASSERT_TRUE(mistake);
  EXPECT_EQ(mistake->line, 6U) << "'broken b' is an entry of virtual";
  EXPECT_EQ(table.size(), 3U);
  EXPECT_EQ(table.mailbox_of("c@example.org"), "ann@example.org");
  const AliasTable other = AliasTable::parse("a: ann\nbroken\n\nc: ann", "example.org", mistake);
  ASSERT_TRUE(mistake);
  EXPECT_EQ(mistake->line, 2U);
  EXPECT_EQ(other.mailbox_of("c@example.org"), "ann@example.org");
}

TEST(AliasTable, TakesAMillionEntriesAndNoMore) {
  std::string file;
  for (std::size_t i = 0; i <= AliasTable::kEntriesMax; ++i)
    file += "n" + std::to_string(i) + " p" + std::to_string(i) + "\n";
  std::optional<AliasTable::Mistake> mistake;
  const AliasTable table = AliasTable::parse(file, "x.example", mistake);
  EXPECT_EQ(table.size(), AliasTable::kEntriesMax);
  ASSERT_TRUE(mistake);
  EXPECT_EQ(mistake->line, AliasTable::kEntriesMax + 1);
  EXPECT_EQ(table.mailbox_of("n999999@x.example"), "p999999@x.example");
}

TEST(AliasTable, FollowsNoEndlessChain) {
  std::string file;
  for (int i = 0; i < 30; ++i)
    file += "a" + std::to_string(i) + ": a" + std::to_string(i + 1) + "\n";
  EXPECT_EQ(mailbox(file, "a0@example.org"), "a0@example.org") << "longer than it is followed";
  EXPECT_EQ(mailbox(file, "a25@example.org"), "a30@example.org");
}

TEST(AliasTable, SaysWhichNamesAMailboxHas) {
  std::optional<AliasTable::Mistake> mistake;
  const AliasTable table = AliasTable::parse(
      "info@example.org ann@example.org\nann.smith@example.org ann@example.org\n"
      "@old.example @example.org\nbob@example.org joe@example.org\n",
      "example.org", mistake);
  EXPECT_EQ(table.names_of("ann@example.org", 9),
            (std::vector<std::string>{"ann.smith@example.org", "info@example.org"}));
  EXPECT_EQ(table.names_of("ann@example.org", 1).size(), 1U);
  EXPECT_TRUE(table.names_of("eve@example.org", 9).empty());
  EXPECT_EQ(table.targets().size(), 3U) << "no whole domains";
}

}  // namespace
}  // namespace shingled::milter::reports
