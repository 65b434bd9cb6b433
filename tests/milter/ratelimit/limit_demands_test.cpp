#include "milter/ratelimit/limit_demands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load_settings.h"
#include "storage/buckets/bucket_store.h"

namespace shingled::milter::ratelimit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

MailLimitOptions limits(const std::string& rates, const std::string& more = "") {
  const auto loaded =
      config::load_settings("ratelimit: {rates: {" + rates + "}" + more + "}", "f", {});
  for (const auto& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  return loaded.settings ? loaded.settings->ratelimit : MailLimitOptions{};
}

LimitedEnvelope envelope(const char* client, const char* user, const char* sender) {
  return {IpAddress::parse(client), user, parse_envelope_address(sender)};
}

/// "KEY BURST" for each demand: first those of a recipient, then those of the message.
std::vector<std::string> demands(const MailLimitOptions& options, const LimitedEnvelope& mail,
                                 const char* recipient) {
  std::vector<std::string> out;
  auto all = recipient_demands(options, mail, parse_envelope_address(recipient));
  for (LimitDemand& demand : message_demands(options, mail)) all.push_back(std::move(demand));
  for (const LimitDemand& demand : all) {
    out.push_back(demand.key + ' ' + std::to_string(static_cast<int>(demand.rate.burst)));
  }
  return out;
}

TEST(LimitDemands, ExistForTypesWhosePartsTheMailHas) {
  const auto options = limits(
      "to: [1, 1], to_ip: [2, 1], to_ip_from: [3, 1], bounce_to: [4, 1], bounce_to_ip: [5, 1], "
      "user: [6, 1], network_to_domain: [7, 1], from_domain: [8, 1], ip: [9, 1]");
  EXPECT_THAT(demands(options, envelope("192.0.2.1", "", "<S@Example.NET>"), "<r@example.org>"),
              ElementsAre("to:r@example.org 1", "to_ip:r@example.org:192.0.2.1 2",
                          "to_ip_from:r@example.org:192.0.2.1:s@example.net 3",
                          "network_to_domain:192.0.2.0/24:example.org 7",
                          "from_domain:example.net 8", "ip:192.0.2.1 9"))
      << "no login, no bounce";
  EXPECT_THAT(demands(options, envelope("2001:db8:1:2:3::1", "", "<>"), "<r@example.org>"),
              ElementsAre("to:r@example.org 1", "to_ip:r@example.org:2001%3Adb8%3A1%3A2%3A%3A/64 2",
                          "bounce_to:r@example.org 4",
                          "bounce_to_ip:r@example.org:2001%3Adb8%3A1%3A2%3A%3A/64 5",
                          "network_to_domain:2001%3Adb8%3A1%3A2%3A%3A/64:example.org 7",
                          "ip:2001%3Adb8%3A1%3A2%3A%3A/64 9"))
      << "the empty sender has no bucket";
  EXPECT_THAT(demands(options, envelope("-", "bob", "<postmaster>"), "<r>"),
              ElementsAre("to:r 1", "bounce_to:r 4", "user:bob 6"))
      << "a local pipe has no address, a local name no domain";
}

TEST(LimitDemands, HaveOneBucketForEverySpelling) {
  const auto options =
      limits("to: [1, 1], user: [1, 1], from: [1, 1], ip: [1, 1], bounce_to: [1, 1]");
  struct Case {
    const char* why;
    LimitedEnvelope mail;
    const char* recipient;
    std::vector<std::string> expected;
  };
  const Case cases[] = {
      {"a login in capitals",
       envelope("192.0.2.1", " Alice\t", "<>"),
       "",
       {"user:alice 1", "ip:192.0.2.1 1"}},
      {"a login with an international domain",
       envelope("192.0.2.1", "A@B\u00dcCHER.example.", "<>"),
       "",
       {"user:a@xn--bcher-kva.example 1", "ip:192.0.2.1 1"}},
      {"a tag",
       envelope("-", "", "<s@x>"),
       "<Bob+17@Example.org>",
       {"to:bob@example.org 1", "from:s@x 1"}},
      {"an international domain",
       envelope("-", "", "<s@x>"),
       "<bob@b\u00fccher.example>",
       {"to:bob@xn--bcher-kva.example 1", "from:s@x 1"}},
      {"BATV, also of a sender of bounces",
       envelope("-", "", "<prvs=0123456789=Postmaster@x.example>"),
       "<r@y>",
       {"to:r@y 1", "bounce_to:r@y 1", "from:postmaster@x.example 1"}},
      {"SRS",
       envelope("-", "", "<SRS0=AbCd=TT=x.example=joe@fwd.example>"),
       "<r@y>",
       {"to:r@y 1", "from:joe@x.example 1"}},
      {"VERP",
       envelope("-", "", "<news-return-17-r=y.example@x.example>"),
       "<r@y>",
       {"to:r@y 1", "from:news-return@x.example 1"}},
      {"addresses of one /64", envelope("2001:db8::99", "", ""), "", {"ip:2001%3Adb8%3A%3A/64 1"}},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(demands(options, test.mail, test.recipient), test.expected) << test.why;
  }
}

TEST(LimitDemands, KnowABucketByAnySpelling) {
  const auto options =
      limits("to: [1, 1], user: [1, 1], ip: [1, 1], ip_to: [1, 1], network: [1, 1]");
  constexpr struct {
    const char* why;
    const char* name;
    const char* key;
  } kCases[] = {
      {"a login", "user: Alice ", "user:alice"},
      {"a tag", "to:<Bob+x@Example.ORG>", "to:bob@example.org"},
      {"a key is itself", "to:bob@example.org", "to:bob@example.org"},
      {"an IPv6 address", "ip:2001:DB8::7", "ip:2001%3Adb8%3A%3A/64"},
      {"its key", "ip:2001%3Adb8%3A%3A/64", "ip:2001%3Adb8%3A%3A/64"},
      {"an IPv6 address before a part", "ip_to:2001:db8::7:A@b", "ip_to:2001%3Adb8%3A%3A/64:a@b"},
      {"an IPv4 address", "network:192.0.2.9", "network:192.0.2.0/24"},
      {"another type", "from:a@b", nullptr},
      {"no type", "a@b", nullptr},
      {"a part lacks", "ip_to:192.0.2.1", nullptr},
      {"a part too much", "user:alice:x", nullptr},
      {"nothing", "", nullptr},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(bucket_key_of(options, c.name).value_or("-"), c.key == nullptr ? "-" : c.key)
        << c.why;
  }
}

TEST(LimitDemands, FollowOverridesByUserAndSender) {
  const auto options = limits(
      "to: {rate: [1, 1], overrides: [{user: News, rate: [7, 1]}, {sender: a@x.example, rate: "
      "[8, 1]}, {sender_domain: y.example, rate: [9, 1]}]}, user: {rate: [[2, 1], [3, 0.1]], "
      "overrides: [{user: news, rate: off}]}");
  EXPECT_THAT(demands(options, envelope("-", "NEWS", "<q@z>"), "<r@y>"),
              ElementsAre("to:r@y:user=news 7"));
  EXPECT_THAT(demands(options, envelope("-", "bob", "<A+1@x.example>"), "<r@y>"),
              ElementsAre("to:r@y:sender=a@x.example 8", "user:bob 2", "user:bob:#2 3"))
      << "each rate has a bucket";
  EXPECT_THAT(demands(options, envelope("-", "", "<q@Y.example>"), "<r@y>"),
              ElementsAre("to:r@y:sender_domain=y.example 9"));
}

TEST(LimitDemands, OfARecipientHaveTheSameTagInACluster) {
  auto options = limits("to: [1, 1], ip_to: [2, 1], to_domain: [3, 1], user: [4, 1]");
  options.redis.cluster = true;
  EXPECT_THAT(demands(options, envelope("192.0.2.1", "bob", "<s@b>"), "<r@a>"),
              ElementsAre("to:{r@a} 1", "ip_to:192.0.2.1:{r@a} 2", "to_domain:a 3", "user:bob 4"));
}

TEST(LimitDemands, FollowTheFirstOverrideThatFits) {
  const auto options = limits(
      "to: {rate: [1, 1], overrides: [{recipient: vip@a.example, rate: off}, "
      "{domain: a.example, rate: [20, 1]}, {network: 192.0.2.0/24, rate: [30, 1]}]}, "
      "to_domain: {rate: [2, 1], overrides: [{recipient: list@a.example, rate: [40, 1]}]}, "
      "ip: {overrides: [{network: 192.0.2.128/25, rate: [50, 1]}]}");
  const auto near = envelope("192.0.2.1", "", "<s@x>");
  const auto far = envelope("198.51.100.1", "", "<s@x>");
  struct Case {
    const char* why;
    LimitedEnvelope mail;
    const char* recipient;
    std::vector<std::string> expected;
  };
  const Case cases[] = {
      {"the first override turns it off", near, "<VIP@a.example>", {"to_domain:a.example 2"}},
      {"the override of the domain comes before that of the network",
       near,
       "<x@a.example>",
       {"to:x@a.example 20", "to_domain:a.example 2"}},
      {"the mail of a network has a bucket of its own, because a key has one rate",
       near,
       "<x@b.example>",
       {"to:x@b.example:192.0.2.0/24 30", "to_domain:b.example 2"}},
      {"no override fits", far, "<x@b.example>", {"to:x@b.example 1", "to_domain:b.example 2"}},
      {"a recipient apart from its domain",
       far,
       "<list@a.example>",
       {"to:list@a.example 20", "to_domain:a.example:list@a.example 40"}},
      {"a type with nothing but overrides",
       envelope("192.0.2.200", "", "<s@x>"),
       "<vip@a.example>",
       {"to_domain:a.example 2", "ip:192.0.2.200 50"}},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(demands(options, test.mail, test.recipient), test.expected) << test.why;
  }
}

TEST(LimitDemands, UseThePrefixesOfTheSettings) {
  const auto options = limits("network: [1, 1]", ", ipv4_prefix: 8, ipv6_prefix: 32");
  EXPECT_THAT(demands(options, envelope("192.0.2.1", "", ""), ""),
              ElementsAre("network:192.0.0.0/8 1"));
  EXPECT_THAT(demands(options, envelope("2001:db8:1::1", "", ""), ""),
              ElementsAre("network:2001%3Adb8%3A%3A/32 1"));
}

TEST(LimitDemands, HaveBoundedPrintableKeysForAnyInput) {
  const auto options = limits("to_ip_from: [1, 1], user: [1, 1], from: [1, 1]");
  const std::string longest(10'000, 'a');
  std::string controls;
  for (int i = 0; i < 256; ++i) controls += static_cast<char>(i);
  for (const std::string& nasty : {longest, controls, "x@" + longest, longest + '@' + controls}) {
    const LimitedEnvelope mail{IpAddress::parse("192.0.2.1"), nasty, parse_envelope_address(nasty)};
    const auto all = demands(options, mail, nasty.c_str());
    EXPECT_EQ(all.size(), nasty == controls ? 2U : 3U) << "c_str ends at the first byte";
    for (const std::string& demand : all) {
      EXPECT_LE(demand.size(), storage::buckets::kBucketKeyMax + 2);
      for (const char c : demand) EXPECT_TRUE(c >= ' ' && c <= '~');
    }
  }
  EXPECT_THAT(demands(limits("to: off"), envelope("192.0.2.1", "", ""), "<a@b>"), IsEmpty());
}

}  // namespace
}  // namespace shingled::milter::ratelimit
