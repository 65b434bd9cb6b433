#include "milter/ratelimit/envelope_address.h"

#include <gtest/gtest.h>

namespace shingled::milter::ratelimit {
namespace {

TEST(EnvelopeAddress, IsTheSameTextForTheSameMailbox) {
  struct Case {
    const char* why;
    std::string path;
    std::string text;
  };
  const Case cases[] = {
      {"as in RCPT", "<user@example.org>", "user@example.org"},
      {"without brackets", "user@example.org", "user@example.org"},
      {"the case of the domain", "<user@EXAMPLE.Org>", "user@example.org"},
      {"the case of the local part: else each spelling would get a new bucket",
       "<USER@example.org>", "user@example.org"},
      {"a source route", "<@a.example,@b.example:user@example.org>", "user@example.org"},
      {"blanks around", " < user@example.org > ", "user@example.org"},
      {"needless quotes", "<\"user\"@example.org>", "user@example.org"},
      {"a quoted pair", "<\"us\\er\"@example.org>", "user@example.org"},
      {"an at in quotes", "<\"a@b\"@example.org>", "a@b@example.org"},
      {"a final dot", "<user@example.org.>", "user@example.org"},
      {"a local name", "<postmaster>", "postmaster"},
      {"an address literal", "<user@[IPv6:2001:DB8::1]>", "user@[ipv6:2001:db8::1]"},
      {"a tag is part of the mailbox: not every system supports tags", "<user+tag@example.org>",
       "user+tag@example.org"},
      {"the empty sender", "<>", ""},
      {"nothing", "", ""},
      {"only a bracket", "<", "<"},
      {"a missing bracket", "<user@example.org", "<user@example.org"},
      {"only an at", "<@>", ""},
      {"a route without an end", "<@a.example>", "@a.example"},
      {"only quotes", "\"\"@example.org", "@example.org"},
      {"one quote", "\"@example.org", "\"@example.org"},
      {"a backslash at the end", "\"a\\\"@example.org", "a\\@example.org"},
      {"control bytes stay: keys escape them", std::string("a\0b@x\n", 6),
       std::string("a\0b@x", 5)},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(parse_envelope_address(test.path).text(), test.text) << test.why;
  }
}

TEST(EnvelopeAddress, AcceptsAnyTextOfAStranger) {
  const std::string longest(10'000, 'A');
  EXPECT_EQ(parse_envelope_address('<' + longest + "@x>").local.size(), longest.size());
  std::string every_byte;
  for (int i = 0; i < 256; ++i) every_byte += static_cast<char>(i);
  for (std::size_t i = 0; i < every_byte.size(); ++i) {
    const auto address = parse_envelope_address(every_byte.substr(i) + every_byte.substr(0, i));
    EXPECT_LE(address.text().size(), every_byte.size());
  }
}

TEST(BounceSender, IsOneOfTheDocumentedSenders) {
  for (const char* sender : {"<>", "", "<MAILER-DAEMON@example.org>", "postmaster", "<Null@x>",
                             "<fetchmail-daemon@x>", "<mdaemon@x>", "<\"postmaster\"@x>"}) {
    EXPECT_TRUE(is_bounce_sender(parse_envelope_address(sender))) << sender;
  }
  for (const char* sender : {"<user@example.org>", "<mailer-daemons@x>", "<x@postmaster>"}) {
    EXPECT_FALSE(is_bounce_sender(parse_envelope_address(sender))) << sender;
  }
}

}  // namespace
}  // namespace shingled::milter::ratelimit
