#include "mime/pieces/mail_address.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>

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

std::string form_of(std::string_view address) {
  const auto normal = normal_address(address);
  return normal ? normal->text() : "";
}

TEST(NormalAddress, IsOneFormForOneMailbox) {
  struct Case {
    const char* why;
    std::string address;
    std::string expected;
  };
  const Case cases[] = {
      {"as it is", "joe@example.org", "joe@example.org"},
      {"case", "Joe.Doe@EXAMPLE.org", "joe.doe@example.org"},
      {"quotes", "\"joe\"@example.org", "joe@example.org"},
      {"a quoted pair", "\"j\\oe\"@example.org", "joe@example.org"},
      {"an at in quotes", "\"a@b\"@example.org", "a@b@example.org"},
      {"blanks", " joe @ example.org ", "joe@example.org"},
      {"the root's dot", "joe@example.org.", "joe@example.org"},
      {"an international domain", "joe@b\u00FCcher.example", "joe@xn--bcher-kva.example"},
      {"a local name", "postmaster", "postmaster"},
      {"an address literal", "joe@[192.0.2.1]", "joe@[192.0.2.1]"},
      {"a tag", "joe+shop@example.org", "joe@example.org"},
      {"two tags", "joe+a+b@example.org", "joe@example.org"},
      {"nothing but a tag", "+shop@example.org", "+shop@example.org"},
      {"BATV", "prvs=0123abcdef=joe@example.org", "joe@example.org"},
      {"BATV in capitals", "PRVS=0123ABCDEF=Joe@example.org", "joe@example.org"},
      {"BATV of Barracuda", "btv1==123abc==joe@example.org", "joe@example.org"},
      {"BATV of SparkPost", "msprvs1=19000abc=bounces-1@example.org", "bounces-1@example.org"},
      {"BATV without a user", "prvs=0123abcdef=@example.org", "prvs=0123abcdef=@example.org"},
      {"not BATV", "prvs=joe@example.org", "prvs=joe@example.org"},
      {"SRS0", "SRS0=HHH=TT=example.org=joe@forward.example", "joe@example.org"},
      {"SRS0 with another separator", "SRS0+HHH=TT=example.org=joe@forward.example",
       "joe@example.org"},
      {"SRS1", "SRS1=GGG=first.example==HHH=TT=example.org=joe@forward.example", "joe@example.org"},
      {"SRS0 without a domain", "SRS0=HHH=TT==joe@forward.example",
       "srs0=hhh=tt==joe@forward.example"},
      {"SRS0 of a tag and an equals sign", "SRS0=HHH=TT=example.org=a=b+c@forward.example",
       "a=b@example.org"},
      {"a name that begins so", "srs0@example.org", "srs0@example.org"},
      {"BATV inside SRS", "SRS0=HHH=TT=example.org=prvs=0123abcdef=joe@forward.example",
       "joe@example.org"},
      {"VERP", "news-joe=example.net@example.org", "news@example.org"},
      {"VERP with a number", "news-return-17-joe=example.net@example.org",
       "news-return@example.org"},
      {"VERP of a user with a hyphen", "news-return-17-mary-ann=example.net@example.org",
       "news-return@example.org"},
      {"VERP as a tag", "bounces+17-joe=example.net@example.org", "bounces@example.org"},
      {"VERP without a list", "joe=example.net@example.org", "joe=example.net@example.org"},
      {"an equals sign without a host", "a-b=c@example.org", "a-b=c@example.org"},
      {"an empty domain behind an address", "a@example.org@", "a@example.org"},
      {"no local part", "@example.org", ""},
      {"nothing", "", ""},
      {"only quotes", "\"\"@example.org", ""},
      {"too long", std::string(kAddressBytesMax, 'a') + "@example.org", ""},
  };
  for (const Case& test : cases) {
    const std::string once = form_of(test.address);
    EXPECT_EQ(once, test.expected) << test.why;
    EXPECT_EQ(form_of(once), once) << test.why;
  }
}

// Plain addresses are not searched for marks. A blank says nothing, but it is not plain.
TEST(NormalAddress, IsFoundInTheSameWayWithoutMarks) {
  std::mt19937 random(5);
  constexpr std::string_view kBytes = "aZ09.-_@@+=\"s";
  for (int round = 0; round < 20'000; ++round) {
    std::string address(random() % 2 == 0 ? "srs0" : "");
    for (std::size_t left = random() % 16; left > 0; --left)
      address += kBytes[random() % kBytes.size()];
    EXPECT_EQ(form_of(address), form_of(address + ' ')) << address;
  }
}

}  // namespace
}  // namespace shingled::mime
