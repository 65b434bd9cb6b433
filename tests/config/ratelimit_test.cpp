// Covers config/sections/ratelimit.cpp, config/sections/bucket_types.cpp: what each notation of a
// rate means, and the exact text of each problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/list_file.h"
#include "config/load_settings.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

MailLimitOptions limits_of(const std::string& entries) {
  const Loaded loaded = load_settings("ratelimit: {" + entries + "}", "f", {});
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  return loaded.settings ? loaded.settings->ratelimit : MailLimitOptions{};
}

std::vector<std::string> problems_of(const std::string& entries) {
  std::vector<std::string> out;
  for (const Problem& problem : load_settings("ratelimit:\n" + entries, "f", {}).problems) {
    out.push_back(problem.to_string());
  }
  return out;
}

TEST(Ratelimit, ReadsRatesInEveryNotation) {
  struct Case {
    const char* why;
    const char* rate;
    BucketRate expected;
  };
  constexpr Case kCases[] = {
      {"burst and leak a second, as rspamd has them", "[100, 0.5]", {100, 0.5}},
      {"a leak for people", "[100, 3 / 1m]", {100, 0.05}},
      {"a leak in quotes", "[30, \"1.5/1m\"]", {30, 0.025}},
      {"one text is both", "360 / 1h", {360, 0.1}},
      {"one text, a unit alone", "10 / s", {10, 10}},
      {"a broken burst is no drop more", "[1.5, 1]", {1.5, 1}},
      {"a map of it", "{rate: [4, 2]}", {4, 2}},
      {"the least of both", "[1, 1e-8]", {1, 1e-8}},
      {"the most of both", "[1e9, 1e6]", {1e9, 1e6}},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    const auto limits = limits_of("rates: {to: " + std::string(test.rate) + "}");
    ASSERT_EQ(limits.rates.size(), 1U);
    EXPECT_DOUBLE_EQ(limits.rates[0].rate.burst, test.expected.burst);
    EXPECT_DOUBLE_EQ(limits.rates[0].rate.leak, test.expected.leak);
  }
  for (const char* off : {"off", "no", "0", "[0, 0.0333]", "[0, 0]", "{rate: off}", "{}",
                          "{overrides: [{domain: a.example, rate: off}]}", "0 / 1h"}) {
    EXPECT_FALSE(limits_of("rates: {to: " + std::string(off) + "}").enabled()) << off;
  }
}

TEST(Ratelimit, KnowsTypesByTheirParts) {
  using enum BucketPart;
  const auto limits = limits_of(
      "rates: {bounce_to_ip: 1/1s, to_ip_from: 1/1s, network_to_domain: 1/1s, "
      "from_domain_to: 1/1s, user: 1/1s}");
  ASSERT_EQ(limits.rates.size(), 5U);
  EXPECT_THAT(limits.rates[0].parts, ElementsAre(kBounce, kTo, kIp));
  EXPECT_THAT(limits.rates[1].parts, ElementsAre(kTo, kIp, kFrom));
  EXPECT_THAT(limits.rates[2].parts, ElementsAre(kNetwork, kToDomain));
  EXPECT_THAT(limits.rates[3].parts, ElementsAre(kFromDomain, kTo));
  EXPECT_TRUE(limits.rates[3].by_recipient());
  EXPECT_FALSE(limits.rates[4].by_recipient());
}

TEST(Ratelimit, ReadsTypesThatCountRecipients) {
  const auto limits = limits_of("rates: {user_rcpts: [500, 500 / 1d], from_domain_rcpts: 9/1h}");
  ASSERT_EQ(limits.rates.size(), 2U);
  EXPECT_EQ(limits.rates[0].name, "user_rcpts");
  EXPECT_THAT(limits.rates[0].parts, ElementsAre(BucketPart::kUser));
  EXPECT_TRUE(limits.rates[0].counts_recipients);
  EXPECT_FALSE(limits.rates[0].by_recipient());
  EXPECT_THAT(limits.rates[1].parts, ElementsAre(BucketPart::kFromDomain));
}

TEST(Ratelimit, ReadsSeveralRatesOfAType) {
  const auto limits = limits_of(
      "rates: {user: {rate: [[20, 1 / 1m], 500 / 1d], overrides: [{user: News, rate: off}, "
      "{sender: A@b.example, rate: [[9, 9], [8, 8], 7 / 1s]}]}}");
  ASSERT_EQ(limits.rates.size(), 3U) << "an override may have more";
  EXPECT_EQ(limits.rates[0].rate.burst, 20);
  EXPECT_EQ(limits.rates[1].rate.burst, 500);
  EXPECT_FALSE(limits.rates[2].rate.limits());
  for (std::uint32_t i = 0; i < 3; ++i) {
    const BucketType& type = limits.rates[i];
    EXPECT_EQ(type.name, "user");
    EXPECT_EQ(type.number, i + 1);
    ASSERT_EQ(type.overrides.size(), 2U);
    EXPECT_EQ(type.overrides[0].name, "news");
    EXPECT_FALSE(type.overrides[0].rate.limits()) << "off turns off all rates";
    EXPECT_EQ(type.overrides[1].kind, BucketOverride::For::kSender);
    EXPECT_EQ(type.overrides[1].rate.burst, 9 - i);
  }
}

TEST(Ratelimit, ReadsOverridesInTheirOrder) {
  const auto limits = limits_of(
      "rates: {to: {rate: off, overrides: [{recipient: List@Example.ORG, rate: off}, "
      "{domain: Example.com, rate: [9, 3]}, {network: 192.0.2.7/24, rate: 8 / 2s}]}}");
  ASSERT_EQ(limits.rates.size(), 1U) << "a type may limit by its overrides alone";
  const auto& overrides = limits.rates[0].overrides;
  ASSERT_EQ(overrides.size(), 3U);
  EXPECT_EQ(overrides[0].name, "list@example.org");
  EXPECT_FALSE(overrides[0].rate.limits());
  EXPECT_EQ(overrides[1].name, "example.com");
  EXPECT_EQ(overrides[1].rate, (BucketRate{9, 3}));
  EXPECT_EQ(overrides[2].network->to_string(), "192.0.2.0/24");
  EXPECT_EQ(overrides[2].rate, (BucketRate{8, 4}));
}

TEST(Ratelimit, ReadsTheRest) {
  const auto limits = limits_of(
      "when: end_of_message, max_rcpts: 9, above_max_rcpts: none, "
      "whitelisted_rcpts: 'Abuse, /etc/r, @Example.org', "
      "whitelisted_ip: [192.0.2.0/24, /etc/n, localhost], symbol: RATELIMIT, log_only: yes, "
      "ipv4_prefix: 16, ipv6_prefix: 56, buckets_max: 1000, file: '', servers: 'redis.example', "
      "redis: {db: 3, username: u, password: p, prefix: rl, timeout: 1s}");
  EXPECT_EQ(limits.when, LimitPoint::kMessage);
  EXPECT_EQ(limits.max_rcpts, 9U);
  EXPECT_EQ(limits.above_max_rcpts, ManyRecipients::kNone);
  EXPECT_THAT(limits.whitelisted_rcpts, ElementsAre("abuse", "@example.org"));
  EXPECT_THAT(limits.whitelisted_rcpts_files, ElementsAre("/etc/r"));
  EXPECT_EQ(limits.whitelisted_ip.size(), 3U);
  EXPECT_THAT(limits.whitelisted_ip_files, ElementsAre("/etc/n"));
  EXPECT_EQ(limits.symbol, "RATELIMIT");
  EXPECT_TRUE(limits.log_only);
  EXPECT_EQ(limits.ipv4_prefix, 16U);
  EXPECT_EQ(limits.ipv6_prefix, 56U);
  EXPECT_EQ(limits.buckets_max, 1000U);
  EXPECT_EQ(limits.file, "");
  ASSERT_TRUE(limits.shared());
  EXPECT_EQ(limits.redis.servers[0].port, 6379);
  EXPECT_EQ(limits.redis.db, 3U);
  EXPECT_EQ(limits.redis.prefix, "rl");
  EXPECT_EQ(limits.redis.timeout, std::chrono::seconds(1));
}

constexpr const char* kRateAllowed =
    "; allowed: [burst, leak] with a burst of 1 to 1e9 and a leak a second of up to 1e6 or such as "
    "2 / 1m, or one text such as 100 / 1h, or off, or a list of up to 4 such rates";
constexpr const char* kTypesAllowed =
    "; allowed: to, to_ip, to_ip_from, bounce_to, bounce_to_ip, user, or others of the parts "
    "bounce, user, ip, network, from, from_domain, to, to_domain with '_' between; with _rcpts "
    "behind those without a recipient each recipient counts";

TEST(Ratelimit, RefusesNonsenseRates) {
  struct Case {
    const char* why;
    const char* rate;
    const char* problem;
  };
  constexpr Case kCases[] = {
      {"a negative burst", "[-1, 1]", "the burst is out of range"},
      {"a negative leak", "[1, -1]", "the leak is out of range"},
      {"a burst that is not a number", "[.nan, 1]", "is not a rate"},
      {"from_chars knows nan, too", "[nan, 1]", "is not a rate"},
      {"a leak without end", "[1, inf]", "is not a rate"},
      {"a burst beyond a double", "[1e999, 1]", "is not a rate"},
      {"a burst nobody means", "[1e300, 1]", "the burst is out of range"},
      {"a leak nobody waits for", "[1, 1e-300]",
       "a full bucket would drain for more than 10 years"},
      {"a leak faster than mail", "[1, 1e7]", "the leak is out of range"},
      {"nothing would pass", "[0.5, 1]", "a burst below 1 would let nothing pass"},
      {"it would never drain", "[5, 0]", "a leak of 0 would never let mail pass again"},
      {"only a burst", "[5]", "is not a rate"},
      {"too much", "[5, 1, 1]", "is not a rate"},
      {"a list in a list", "[[5, 1], 1]", "is not a rate"},
      {"a number alone has no time", "5", "'5' is not a rate"},
      {"a negative amount", "-5 / 1h", "'-5 / 1h' is not a rate"},
      {"no time at all", "5 / 0s", "'5 / 0s' is not a rate"},
      {"nan in the text", "nan / 1h", "'nan / 1h' is not a rate"},
      {"more than a double in the text", "1e999 / 1h", "'1e999 / 1h' is not a rate"},
      {"a time that overflows", "1 / 99999999999999999999d",
       "'1 / 99999999999999999999d' is not a rate"},
      {"less than one drop", "0.5 / 1h", "a burst below 1 would let nothing pass"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    EXPECT_THAT(
        problems_of("  rates:\n    to: " + std::string(test.rate)),
        ElementsAre("f:3:9: ratelimit.rates.to: " + std::string(test.problem) + kRateAllowed));
  }
}

TEST(Ratelimit, RefusesWhatItDoesNotKnow) {
  struct Case {
    const char* why;
    const char* yaml;
    std::string problem;
  };
  const Case cases[] = {
      {"a slip", "  rates: {bounce_too: off}",
       "f:2:11: ratelimit.rates.bounce_too: unknown type of buckets; did you mean 'bounce_to'?"},
      {"no part we have", "  rates: {asn: off}",
       "f:2:11: ratelimit.rates.asn: unknown type of buckets" + std::string(kTypesAllowed)},
      {"a part is empty", "  rates: {to__ip: off}",
       "f:2:11: ratelimit.rates.to__ip: unknown type of buckets; did you mean 'to_ip'?"},
      {"a part twice", "  rates: {to_ip_to: off}",
       "f:2:11: ratelimit.rates.to_ip_to: names a part twice" + std::string(kTypesAllowed)},
      {"one in the other", "  rates: {network_ip: off}",
       "f:2:11: ratelimit.rates.network_ip: has a network beside the ip in it" +
           std::string(kTypesAllowed)},
      {"the same type twice", "  rates:\n    to: off\n    to: off",
       "f:4:5: ratelimit.rates.to: duplicate key; first given in line 3"},
      {"a key of a type", "  rates: {to: {rates: off}}",
       "f:2:16: ratelimit.rates.to.rates: unknown key; did you mean 'rate'?"},
      {"an override for nothing", "  rates: {to: {overrides: [{rate: off}]}}",
       "f:2:28: ratelimit.rates.to.overrides[0].recipient: nothing says what it is for; allowed: "
       "recipient, domain, network, user, sender, sender_domain"},
      {"an override for two things",
       "  rates: {to: {overrides: [{recipient: a@b, domain: b, rate: off}]}}",
       "f:2:53: ratelimit.rates.to.overrides[0].domain: is for something else, too; allowed: one "
       "of recipient, domain, network, user, sender, sender_domain"},
      {"an override by what the type does not have",
       "  rates: {user: {overrides: [{domain: b, rate: off}]}}",
       "f:2:30: ratelimit.rates.user.overrides[0]: buckets of this type have no recipient; "
       "allowed: network, user, sender, sender_domain"},
      {"recipients of what has them already", "  rates: {to_ip_rcpts: off}",
       "f:2:11: ratelimit.rates.to_ip_rcpts: counts each recipient by its parts" +
           std::string(kTypesAllowed)},
      {"too many rates", "  rates: {user: [1/1s, 2/1m, 3/1h, 4/1d, 5/2d]}",
       "f:2:17: ratelimit.rates.user: has too many rates; allowed: at most 4"},
      {"a wrong one among several", "  rates: {user: [1/1s, 0.5/1m]}",
       "f:2:24: ratelimit.rates.user[1]: a burst below 1 would let nothing pass" +
           std::string(kRateAllowed)},
      {"a user that nobody can be", "  rates: {user: {overrides: [{user: 'a b', rate: off}]}}",
       "f:2:37: ratelimit.rates.user.overrides[0].user: 'a b' is not a user; allowed: a login of "
       "at "
       "most 320 printable ASCII characters"},
      {"a sender without a domain", "  rates: {user: {overrides: [{sender: bob, rate: off}]}}",
       "f:2:39: ratelimit.rates.user.overrides[0].sender: 'bob' is not a sender; allowed: an "
       "address such as a@example.org"},
      {"an override without a rate", "  rates: {to: {overrides: [{domain: b}]}}",
       "f:2:28: ratelimit.rates.to.overrides[0].rate: is missing" + std::string(kRateAllowed)},
      {"a network that is none", "  rates: {to: {overrides: [{network: 1.2.3, rate: off}]}}",
       "f:2:38: ratelimit.rates.to.overrides[0].network: '1.2.3' is not a network; allowed: an IP "
       "address or a network such as 192.0.2.0/24"},
      {"a domain with an at", "  rates: {to: {overrides: [{domain: '@b', rate: off}]}}",
       "f:2:37: ratelimit.rates.to.overrides[0].domain: '@b' is not a domain; allowed: a domain "
       "such "
       "as example.org"},
      {"no recipients at all", "  max_rcpts: 0",
       "f:2:14: ratelimit.max_rcpts: '0' is out of range; allowed: 1 to 10000"},
      {"a point we do not have", "  when: data",
       "f:2:9: ratelimit.when: 'data' is not one of the choices; allowed: rcpt, end_of_message"},
      {"a recipient with control bytes", "  whitelisted_rcpts: \"a\\x01\"",
       "f:2:22: ratelimit.whitelisted_rcpts: 'a\\x01' is not a recipient; allowed: a local part, "
       "user@domain or @domain, at most 320 printable ASCII characters, or the path of a file of "
       "them"},
      {"a symbol for a header", "  symbol: \"A B\"",
       "f:2:11: ratelimit.symbol: 'A B' is not a valid symbol; allowed: a letter, then up to 63 "
       "letters, "
       "digits, '_' or '-', or \"\" for none"},
      {"a key of the section", "  server: a",
       "f:2:3: ratelimit.server: unknown key; did you mean 'servers'?"},
      {"a cluster has no other database", "  redis: {cluster: yes, db: 1}",
       "f:2:29: ratelimit.redis.db: a cluster has one database only; allowed: 0, or cluster: "
       "false"},
      {"a key of redis", "  redis: {passwd: a}",
       "f:2:11: ratelimit.redis.passwd: unknown key; did you mean 'password'?"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.why);
    EXPECT_THAT(problems_of(test.yaml), ElementsAre(test.problem));
  }
}

TEST(Ratelimit, BoundsTypesAndOverrides) {
  std::string overrides = "  rates: {to: {overrides: [";
  for (int i = 0; i <= 1000; ++i) overrides += "{domain: d, rate: off}, ";
  EXPECT_THAT(problems_of(overrides + "]}}"),
              ElementsAre(::testing::HasSubstr("overrides[1000]: exceeds the limit")));
  const std::string long_name(10'000, 'a');
  EXPECT_THAT(problems_of("  whitelisted_rcpts: " + long_name),
              ElementsAre(::testing::HasSubstr("is not a recipient")));
}

TEST(Ratelimit, ReadsListsOfRecipientsFromFiles) {
  EXPECT_THAT(*parse_recipients("# ours\nAbuse, @Example.org\nA@b.example # x\n\n"),
              ElementsAre("abuse", "@example.org", "a@b.example"));
  EXPECT_THAT(*parse_recipients(""), IsEmpty());
  const auto wrong = parse_recipients("a\nb@\n");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message,
              ::testing::StartsWith("line 2: is not a valid entry of this list"));
}

}  // namespace
}  // namespace shingled::config
