#include "milter/setup/postfix_setup.h"

#include <gtest/gtest.h>

namespace shingled::milter::setup {
namespace {

const SocketSpec kInet{SocketSpec::Kind::kInet, "127.0.0.1", 11339, ""};
const SocketSpec kInside{SocketSpec::Kind::kUnix, "", 0, "/var/spool/postfix/shingled/milter.sock"};
const SocketSpec kOutside{SocketSpec::Kind::kUnix, "", 0, "/run/shingled/milter.sock"};

PostfixFacts facts(SettingMap given) {
  PostfixFacts out;
  out.settings = {{"smtpd_milters", ""},
                  {"non_smtpd_milters", ""},
                  {"milter_default_action", "tempfail"},
                  {"milter_protocol", "6"},
                  {"compatibility_level", "3.6"},
                  {"queue_directory", "/var/spool/postfix"}};
  for (const auto& [name, value] : given) out.settings[name] = value;
  out.given = std::move(given);
  out.expanded = out.settings;
  return out;
}

SettingMap wanted(const Plan& plan) {
  SettingMap out;
  for (const Difference& one : plan.differences) out[one.setting] = one.wanted;
  return out;
}

/// The facts of a Postfix after the changes of a plan.
PostfixFacts after(PostfixFacts facts, const Plan& plan) {
  for (const Difference& one : plan.differences) {
    facts.settings[one.setting] = one.wanted;
    facts.given[one.setting] = one.wanted;
    facts.expanded[one.setting] = one.wanted;
  }
  return facts;
}

TEST(Postconf, IsParsed) {
  EXPECT_EQ(parse_postconf("a = b = c\nempty =\nno value\n  x=y  \n"),
            (SettingMap{{"a", "b = c"}, {"empty", ""}, {"x", "y"}}));
  EXPECT_TRUE(parse_postconf("").empty());
}

TEST(PostfixEndpoint, IsThatOfTheUsualQueueWhereNoneIsNamed) {
  const Plan plan = plan_postfix(facts({{"queue_directory", ""}}), kOutside, "");
  EXPECT_EQ(wanted(plan)["smtpd_milters"], "unix:" + kOutside.path);
}

TEST(PostfixEndpoint, IsWhatPostfixCallsTheMilter) {
  struct Case {
    const char* socket;
    const char* endpoint;
  };
  constexpr Case kCases[] = {
      {"inet:11339@127.0.0.1", "inet:127.0.0.1:11339"},
      {"inet:11339@localhost", "inet:127.0.0.1:11339"},
      {"*:11339", "inet:127.0.0.1:11339"},
      {"[::]:11339", "inet:[::1]:11339"},
      {"inet6:11339@::1", "inet:[::1]:11339"},
      {"unix:/var/spool/postfix/shingled/milter.sock", "unix:shingled/milter.sock"},
      {"unix:/run/milter.sock", "unix:/run/milter.sock"},
  };
  for (const Case& test : kCases) {
    const auto socket = SocketSpec::parse(test.socket, 1);
    ASSERT_TRUE(socket) << test.socket;
    EXPECT_EQ(postfix_endpoint(*socket, "/var/spool/postfix"), test.endpoint) << test.socket;
  }
}

TEST(PostfixPlan, NamesWhatIsToBeChanged) {
  struct Case {
    const char* why;
    SocketSpec milter;
    SettingMap given;
    SettingMap wanted;
  };
  const std::string own = "inet:127.0.0.1:11339";
  const Case kCases[] = {
      {"a new Postfix",
       kInet,
       {},
       {{"smtpd_milters", own},
        {"non_smtpd_milters", "$smtpd_milters"},
        {"milter_default_action", "accept"}}},
      {"in the chroot",
       kInside,
       {},
       {{"smtpd_milters", "unix:shingled/milter.sock"},
        {"non_smtpd_milters", "$smtpd_milters"},
        {"milter_default_action", "accept"}}},
      {"all is right",
       kInet,
       {{"smtpd_milters", "inet:localhost:11339"},
        {"non_smtpd_milters", "$smtpd_milters"},
        {"milter_default_action", "accept"}},
       {}},
      {"the absolute name of the socket",
       kInside,
       {{"smtpd_milters", "unix:/var/spool/postfix/shingled/milter.sock"},
        {"non_smtpd_milters", "${smtpd_milters}"},
        {"milter_default_action", "accept"}},
       {}},
      {"somebody hangs up on purpose",
       kInet,
       {{"smtpd_milters", own}, {"non_smtpd_milters", own}, {"milter_default_action", "shutdown"}},
       {}},
      {"somebody defers mail on purpose",
       kInet,
       {{"smtpd_milters", own}, {"non_smtpd_milters", own}, {"milter_default_action", "tempfail"}},
       {}},
      {"somebody refuses mail",
       kInet,
       {{"smtpd_milters", own}, {"non_smtpd_milters", own}, {"milter_default_action", "reject"}},
       {{"milter_default_action", "accept"}}},
      {"an old protocol",
       kInet,
       {{"smtpd_milters", own},
        {"non_smtpd_milters", own},
        {"milter_default_action", "accept"},
        {"milter_protocol", "2"}},
       {{"milter_protocol", "6"}}},
      {"another milter keeps its place, and the settings for all",
       kInet,
       {{"smtpd_milters", "inet:127.0.0.1:8891"}, {"non_smtpd_milters", "$smtpd_milters"}},
       {{"smtpd_milters", "inet:127.0.0.1:8891, { " + own + ", default_action=accept }"}}},
      {"another milter with attributes",
       kInet,
       {{"smtpd_milters", "{ unix:opendkim/sock, default_action=tempfail }"},
        {"non_smtpd_milters", "unix:opendkim/sock"},
        {"milter_default_action", "accept"}},
       {{"smtpd_milters", "{ unix:opendkim/sock, default_action=tempfail }, " + own},
        {"non_smtpd_milters", "unix:opendkim/sock, " + own}}},
      {"ours at an earlier port",
       kInside,
       {{"smtpd_milters", "inet:localhost:11339"},
        {"non_smtpd_milters", "$smtpd_milters"},
        {"milter_default_action", "tempfail"}},
       {{"smtpd_milters", "unix:shingled/milter.sock"}}},
      {"ours at an earlier socket, with attributes, beside another milter",
       kInet,
       {{"smtpd_milters", "{ unix:shingled/milter.sock, default_action=accept }, unix:dkim/sock"},
        {"non_smtpd_milters", "unix:dkim/sock unix:/run/shingled/milter.sock"},
        {"milter_default_action", "accept"}},
       {{"smtpd_milters", "unix:dkim/sock, " + own},
        {"non_smtpd_milters", "unix:dkim/sock, " + own}}},
      {"ours at both sockets",
       kInside,
       {{"smtpd_milters", "unix:shingled/milter.sock, inet:127.0.0.1:11339"},
        {"non_smtpd_milters", "$smtpd_milters"},
        {"milter_default_action", "accept"}},
       {{"smtpd_milters", "unix:shingled/milter.sock"}}},
      {"the same port of another machine is another milter",
       kInside,
       {{"smtpd_milters", "unix:shingled/milter.sock, inet:192.0.2.1:11339"},
        {"non_smtpd_milters", "$smtpd_milters"},
        {"milter_default_action", "accept"}},
       {}},
      {"ours has attributes",
       kInet,
       {{"smtpd_milters", "inet:127.0.0.1:8891 { " + own + ", default_action=accept }"},
        {"non_smtpd_milters", "$smtpd_milters"}},
       {}},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    const Plan plan = plan_postfix(facts(test.given), test.milter, "");
    EXPECT_EQ(wanted(plan), test.wanted);
    EXPECT_TRUE(plan.problems.empty());
    EXPECT_TRUE(plan_postfix(after(facts(test.given), plan), test.milter, "").is_right())
        << "a second time there is nothing to do";
  }
}

/// "shutdown" is the default of Postfix 3.10.
TEST(PostfixPlan, WhatPostfixDoesByDefaultIsNobodysChoice) {
  for (const char* action : {"tempfail", "shutdown"}) {
    PostfixFacts given = facts({});
    given.settings["milter_default_action"] = given.expanded["milter_default_action"] = action;
    EXPECT_EQ(wanted(plan_postfix(given, kInet, "")).at("milter_default_action"), "accept")
        << action;
  }
}

TEST(PostfixPlan, KnowsWhatNamesStandFor) {
  PostfixFacts given = facts({{"smtpd_milters", "$mine"}, {"non_smtpd_milters", "$(mine)"}});
  given.expanded["smtpd_milters"] = "inet:127.0.0.1:8891, inet:127.0.0.1:11339";
  given.expanded["non_smtpd_milters"] = "inet:127.0.0.1:11339";
  EXPECT_TRUE(plan_postfix(given, kInet, "").is_right());
  given.expanded["smtpd_milters"] = given.expanded["non_smtpd_milters"] = "inet:127.0.0.1:8891";
  EXPECT_EQ(wanted(plan_postfix(given, kInet, "")),
            (SettingMap{{"smtpd_milters", "$mine, { inet:127.0.0.1:11339, default_action=accept }"},
                        {"non_smtpd_milters",
                         "$(mine), { inet:127.0.0.1:11339, default_action=accept }"}}));
}

TEST(PostfixPlan, AListMayContainTheOther) {
  for (const char* list : {"$smtpd_milters", "${smtpd_milters}", "$(smtpd_milters)",
                           "inet:127.0.0.1:8891,$smtpd_milters inet:127.0.0.1:8892"}) {
    EXPECT_FALSE(wanted(plan_postfix(facts({{"non_smtpd_milters", list}}), kInet, ""))
                     .contains("non_smtpd_milters"))
        << list;
  }
  EXPECT_TRUE(wanted(plan_postfix(facts({{"non_smtpd_milters", "$smtpd_milters_x"}}), kInet, ""))
                  .contains("non_smtpd_milters"));
}

TEST(PostfixPlan, ALinkIsNotReplacedByAFile) {
  PostfixFacts given = facts({});
  given.main_is_link = true;
  EXPECT_EQ(plan_postfix(given, kInet, "").problems.size(), 1U);
}

TEST(PostfixPlan, KnowsTheChroot) {
  struct Case {
    const char* why;
    const char* level;
    const char* services;
    bool problem;
  };
  constexpr Case kCases[] = {
      {"as it says", "3.6", "smtp  inet  n - y - - smtpd", true},
      {"not chrooted", "3.6", "smtp  inet  n - n - - smtpd", false},
      {"the default of today", "3.6", "smtp  inet  n - - - - smtpd -o x=y", false},
      {"the default of old", "0", "smtp  inet  n - - - - smtpd", true},
      {"another service", "3.6", "smtp  unix  - - y - - smtp\npickup unix n - y 60 1 pickup",
       false},
      {"a line that is none", "3.6", "smtpd\n\n", false},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    PostfixFacts given = facts({{"compatibility_level", test.level}});
    given.services = test.services;
    EXPECT_EQ(plan_postfix(given, kOutside, "postfix").problems.size(), test.problem ? 1U : 0U);
    EXPECT_TRUE(plan_postfix(given, kInside, "postfix").problems.empty());
    EXPECT_TRUE(plan_postfix(given, kInet, "").problems.empty());
  }
}

TEST(PostfixPlan, TellsOfServicesWithMiltersOfTheirOwn) {
  PostfixFacts given = facts({});
  given.overrides =
      "submission/inet/smtpd_milters = inet:127.0.0.1:8891\n"
      "smtps/inet/smtpd_milters = inet:127.0.0.1:11339\n127.0.0.1:10025/inet/smtpd_milters =\n"
      "submission/inet/syslog_name = x\n";
  const Plan plan = plan_postfix(given, kInet, "");
  ASSERT_EQ(plan.notes.size(), 2U);
  EXPECT_NE(plan.notes[1].find("submission/inet has smtpd_milters of its own"), std::string::npos);
}

TEST(PostfixPlan, TellsWhoMustOpenTheSocket) {
  EXPECT_EQ(plan_postfix(facts({}), kInside, "").notes.size(), 1U);
  EXPECT_TRUE(plan_postfix(facts({}), kInside, "postfix").notes.empty());
}

constexpr const char* kServices =
    "smtp       inet  n - n - - smtpd\n"
    "submission inet  n - n - - smtpd -o syslog_name=submission\n"
    "pickup     unix  n - n 60 1 pickup\n"
    "scan       unix  - - n - 2 smtp\n"
    "127.0.0.1:10025 inet n - n - - smtpd -o content_filter=\n"
    "[::1]:10026 inet n - n - - smtpd -o content_filter=\n";

TEST(PostfixReturn, NamesWhatCallsTheMilterTwice) {
  const struct {
    const char* why;
    const char* content_filter;  // of main.cf
    const char* milters;
    const char* overrides;
    std::vector<const char*> named;
  } cases[] = {
      {"no content filter", "", "ours", "127.0.0.1:10025/inet/content_filter =\n", {}},
      {"it gives mail back",
       "scan:[127.0.0.1]:10024",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n",
       {"127.0.0.1:10025 inet"}},
      {"by two services",
       "scan:[127.0.0.1]:10024",
       "other, ours",
       "127.0.0.1:10025/inet/content_filter =\n[::1]:10026/inet/content_filter =\n",
       {"127.0.0.1:10025 inet", "[::1]:10026 inet"}},
      {"one service has the content filter",
       "",
       "ours",
       "smtp/inet/content_filter = scan:dummy\n127.0.0.1:10025/inet/content_filter =\n",
       {"127.0.0.1:10025 inet"}},
      {"without milters",
       "scan:x",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/smtpd_milters =\n",
       {}},
      {"with another milter alone",
       "scan:x",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/smtpd_milters = other\n",
       {}},
      {"with the milter of its own",
       "scan:x",
       "",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/smtpd_milters = ours\n",
       {"127.0.0.1:10025 inet"}},
      {"with no_milters",
       "scan:x",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/receive_override_options = "
       "no_header_body_checks,no_milters\n",
       {}},
      {"with another option",
       "scan:x",
       "ours",
       "127.0.0.1:10025/inet/content_filter =\n127.0.0.1:10025/inet/receive_override_options = "
       "no_address_mappings\n",
       {"127.0.0.1:10025 inet"}},
      {"the filter was not set up yet",
       "scan:x",
       "other",
       "127.0.0.1:10025/inet/content_filter =\n",
       {}},
      {"a service with another filter",
       "scan:x",
       "ours",
       "submission/inet/content_filter = scan2:y\n",
       {}},
  };
  for (const auto& c : cases) {
    PostfixFacts facts;
    facts.expanded = {{"content_filter", c.content_filter}, {"smtpd_milters", c.milters}};
    facts.services = kServices;
    facts.overrides = c.overrides;
    Plan plan;
    check_return(
        facts, [](std::string_view all) { return all.find("ours") != std::string_view::npos; },
        plan);
    ASSERT_EQ(plan.problems.size(), c.named.size()) << c.why;
    for (std::size_t i = 0; i < c.named.size(); ++i)
      EXPECT_NE(plan.problems[i].find(c.named[i]), std::string::npos) << c.why;
  }
}

}  // namespace
}  // namespace shingled::milter::setup
