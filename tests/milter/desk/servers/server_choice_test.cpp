#include "milter/desk/servers/server_choice.h"

#include <gmock/gmock.h>

namespace shingled::milter::desk {
namespace {

using ::testing::HasSubstr;

RuleOptions rule(const std::string& name, const std::vector<std::string>& servers = {}) {
  RuleOptions options;
  options.name = name;
  for (const std::string& server : servers)
    options.remote.servers.servers.push_back(*ServerSpec::parse(server, 11335));
  return options;
}

Settings with_rules(std::vector<RuleOptions> rules) {
  Settings settings;
  settings.rules = std::move(rules);
  return settings;
}

std::string servers_of(const RemoteOptions& remote) {
  std::string text;
  for (const ServerSpec& server : remote.servers.servers) {
    text += (text.empty() ? "" : " ") + server.to_string();
  }
  return text;
}

TEST(ServerChoice, ARuleWithoutServersMeansTheLocalDaemon) {
  const Settings settings;
  const auto chosen = choose_destinations({}, settings);
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->size(), 1U);
  EXPECT_TRUE(chosen->front().local);
  EXPECT_EQ(servers_of(chosen->front().remote), "127.0.0.1:11335");
  EXPECT_FALSE(chosen->front().remote.encryption_key);
}

TEST(ServerChoice, EveryRuleIsAskedUnlessOneIsNamed) {
  const Settings settings = with_rules({rule("here"), rule("there", {"192.0.2.1", "192.0.2.2:1"})});
  const auto all = choose_destinations({}, settings);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(servers_of((*all)[1].remote), "192.0.2.1:11335 192.0.2.2:1");
  EXPECT_FALSE((*all)[1].local);

  const auto one = choose_destinations({.rule = "there"}, settings);
  ASSERT_TRUE(one);
  ASSERT_EQ(one->size(), 1U);
  EXPECT_EQ(one->front().rule->name, "there");
}

TEST(ServerChoice, ANamedServerTakesThePlaceOfTheRules) {
  RuleOptions there = rule("there", {"192.0.2.1"});
  there.remote.encryption_key.emplace();
  const Settings settings = with_rules({there, rule("here")});
  const auto chosen = choose_destinations({.servers = {"127.0.0.1:7", "[::1]"}}, settings);
  ASSERT_TRUE(chosen);
  ASSERT_EQ(chosen->size(), 1U);
  EXPECT_EQ(servers_of(chosen->front().remote), "127.0.0.1:7 [::1]:11335");
  // The rule's key belongs to the rule's servers.
  EXPECT_FALSE(chosen->front().remote.encryption_key);
}

TEST(ServerChoice, AKeyIsTakenInBothForms) {
  const Settings settings;
  const std::string zbase32 = "qeypz5xikdowe74odkwoyagxbhnekitbeb1x4krdmazbfuqzczcy";
  const auto text_form = choose_destinations({.key = zbase32}, settings);
  ASSERT_TRUE(text_form);
  ASSERT_TRUE(text_form->front().remote.encryption_key);
  const auto hex_form = choose_destinations({.key = std::string(64, 'a')}, settings);
  ASSERT_TRUE(hex_form);
  EXPECT_EQ(hex_form->front().remote.encryption_key->front(), 0xaa);
}

struct BadCase {
  const char* why;
  ServerArguments arguments;
  const char* message;
};

TEST(ServerChoice, WhatIsWrongIsSaid) {
  const Settings settings = with_rules({rule("here"), rule("there")});
  const BadCase cases[] = {
      {"an unknown rule", {.rule = "where"}, "no rule where; there are: here, there"},
      {"no port", {.servers = {"127.0.0.1:99999"}}, "--server 127.0.0.1:99999"},
      {"not a network address", {.servers = {"unix:/run/x"}}, "must be HOST:PORT"},
      {"a short key", {.key = "abc"}, "--key"},
  };
  for (const BadCase& c : cases) {
    SCOPED_TRACE(c.why);
    const auto chosen = choose_destinations(c.arguments, settings);
    ASSERT_FALSE(chosen);
    EXPECT_EQ(chosen.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(chosen.error().message, HasSubstr(c.message));
  }
}

TEST(ServerChoice, ThePupilIsTheFirstRuleThatMayBeWritten) {
  RuleOptions closed = rule("closed", {"192.0.2.1"});
  closed.read_only = true;
  const Settings settings = with_rules({closed, rule("open", {"192.0.2.2"})});
  const auto destination = choose_destination({}, settings);
  ASSERT_TRUE(destination);
  EXPECT_EQ(destination->rule->name, "open");

  const auto refused = choose_destination({.rule = "closed"}, settings);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("read-only"));
  EXPECT_FALSE(choose_destination({}, with_rules({closed})));
}

TEST(ServerChoice, LessonsStayHereUnlessARuleIsNamed) {
  const RuleOptions feed = rule("feed", {"192.0.2.1"});
  RuleOptions read_only = rule("local");
  read_only.read_only = true;
  RuleOptions read_only_feed = feed;
  read_only_feed.read_only = true;
  struct Case {
    const char* why;
    std::vector<RuleOptions> rules;
    ServerArguments arguments;
    const char* taught;  // a rule, or what the error says
  };
  const Case cases[] = {
      {"a feed stands before it", {feed, rule("local")}, {}, "local"},
      {"named", {feed, rule("local")}, {.rule = "feed"}, "feed"},
      {"another rule of the local daemon", {feed, rule("own")}, {}, "own"},
      {"no local daemon", {read_only_feed, rule("b", {"192.0.2.2"})}, {}, "b"},
      {"not somebody else instead", {feed, read_only}, {}, "rule local is read-only; --rule"},
      {"hashes for another server are those of local",
       {feed, rule("local")},
       {.servers = {"192.0.2.9"}},
       "local"},
      {"a server may be taught whatever the rule is", {read_only}, {.servers = {"::1"}}, "local"},
  };
  for (const Case& c : cases) {
    const Settings settings = with_rules(c.rules);
    const auto destination = choose_destination(c.arguments, settings);
    EXPECT_THAT(destination ? destination->rule->name : destination.error().message,
                HasSubstr(c.taught))
        << c.why;
  }
}

struct ListenCase {
  const char* listen;
  const char* server;
};

TEST(ServerChoice, AWildcardIsReachedOverLoopback) {
  const ListenCase cases[] = {{"0.0.0.0:77", "127.0.0.1:77"},
                              {"*:77", "127.0.0.1:77"},
                              {"[::]:77", "[::1]:77"},
                              {"inet6:77", "[::1]:77"},
                              {"192.0.2.9:77", "192.0.2.9:77"}};
  for (const ListenCase& c : cases) {
    SCOPED_TRACE(c.listen);
    StorageOptions storage;
    auto spec = SocketSpec::parse(c.listen);
    if (!spec) continue;  // a form this configuration does not have
    storage.server.listen = {*spec};
    const auto remote = local_service(storage);
    ASSERT_TRUE(remote);
    EXPECT_EQ(servers_of(*remote), c.server);
  }
}

TEST(ServerChoice, AnEncryptedOnlyDaemonIsTalkedToWithItsOwnDefaultKey) {
  StorageOptions storage;
  storage.server.encrypted_only = true;
  storage.server.keypair.resize(2);
  storage.server.keypair.back().public_key.fill(7);
  const auto remote = local_service(storage);
  ASSERT_TRUE(remote);
  ASSERT_TRUE(remote->encryption_key);
  EXPECT_EQ(remote->encryption_key->front(), 7);
}

TEST(ServerChoice, WithoutALocalServiceItIsSaid) {
  StorageOptions storage;
  storage.enabled = false;
  const auto remote = local_service(storage);
  ASSERT_FALSE(remote);
  EXPECT_EQ(remote.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(remote.error().message, HasSubstr("--server"));
}

TEST(ServerChoice, OurRobustHashIsForThoseWhoKnowIt) {
  struct Case {
    std::string why;
    bool remote_rule, robust, named_server, wanted;
  };
  const Case kCases[] = {
      {"the local daemon", false, true, false, true},
      {"a server that is named", false, true, true, false},
      {"servers of a rule that says so", true, true, false, true},
      {"a server named instead of those", true, true, true, true},
      {"servers of a rule", true, false, false, false},
  };
  for (const Case& c : kCases) {
    RuleOptions options = c.remote_rule ? rule("r", {"192.0.2.1"}) : rule("r");
    options.hash.robust = c.robust;
    const Settings settings = with_rules({options});
    ServerArguments arguments;
    if (c.named_server) arguments.servers = {"192.0.2.9"};
    const auto destination = choose_destination(arguments, settings);
    ASSERT_TRUE(destination) << c.why;
    EXPECT_EQ(hash_options(*destination).robust, c.wanted) << c.why;
  }
}

}  // namespace
}  // namespace shingled::milter::desk
