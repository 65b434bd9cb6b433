#include "mime/pieces/mailbox_list.h"

#include <gtest/gtest.h>

namespace shingled::mime {
namespace {

std::string text_of(std::string_view value, std::size_t count_max = 10) {
  std::string out;
  for (const Mailbox& mailbox : read_mailboxes(value, count_max)) {
    if (!out.empty()) out += " | ";
    out += mailbox.name + " = " + mailbox.address;
  }
  return out;
}

TEST(MailboxList, IsNamesAndAddresses) {
  struct Case {
    const char* why;
    std::string value;
    std::string expected;
  };
  const Case cases[] = {
      {"a bare address", "joe@example.org", " = joe@example.org"},
      {"a name", "Joe Doe <joe@example.org>", "Joe Doe = joe@example.org"},
      {"a quoted name", "\"Doe, \\\"Joe\\\"\" <joe@example.org>", "Doe, \"Joe\" = joe@example.org"},
      {"an address in the name", "\"bank@example.com\" <joe@example.org>",
       "bank@example.com = joe@example.org"},
      {"a comment", "joe@example.org (Joe (the) Doe)", "Joe (the) Doe = joe@example.org"},
      {"a comment after brackets", "<joe@example.org> (Joe)", "Joe = joe@example.org"},
      {"a comment inside", "joe (x) @example.org", "x = joe  @example.org"},
      {"two", "a@example.org, B <b@example.org>", " = a@example.org | B = b@example.org"},
      {"a group", "Friends: a@example.org, b@example.org;", " = a@example.org |  = b@example.org"},
      {"an empty group", "undisclosed-recipients:;", ""},
      {"folded", "Joe\r\n Doe\r\n <joe@example.org>", "Joe Doe = joe@example.org"},
      {"a quoted local part", "\"joe, jr.\"@example.org", " = \"joe, jr.\"@example.org"},
      {"an angle bracket in quotes", "<\"a>b\"@example.org>", " = \"a>b\"@example.org"},
      {"a route", "<@a.example,@b.example:joe@example.org>", " = joe@example.org"},
      {"an encoded word", "=?utf-8?q?Joe=2C?= <joe@example.org>",
       "=?utf-8?q?Joe=2C?= = joe@example.org"},
      {"two addresses: the last one counts", "<a@example.org> <b@example.org>", " = b@example.org"},
      {"only a name", "Joe", " = Joe"},
      {"nothing", " ,,; ", ""},
      {"an open quote", "\"Joe <joe@example.org>", " = \"Joe <joe@example.org>"},
      {"an open comment", "joe@example.org (Joe", "Joe = joe@example.org"},
      {"an open bracket", "Joe <joe@example.org", "Joe = joe@example.org"},
      {"a backslash at the end", "\"Joe\\", " = \"Joe\\"},
  };
  for (const Case& test : cases) EXPECT_EQ(text_of(test.value), test.expected) << test.why;
}

TEST(MailboxList, EndsAtItsBound) {
  std::string many;
  for (int i = 0; i < 100; ++i) many += "a@example.org,";
  EXPECT_EQ(read_mailboxes(many, 3).size(), 3U);
  EXPECT_TRUE(read_mailboxes(many, 0).empty());
}

}  // namespace
}  // namespace shingled::mime
