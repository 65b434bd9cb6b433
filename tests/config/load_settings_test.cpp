#include "config/load_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/base/hex.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;

/// The settings of a text without problems.
Settings settings_of(std::string_view yaml, const std::vector<std::string>& overrides = {}) {
  const Loaded loaded = load_settings(yaml, "f", overrides);
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  return loaded.settings ? *loaded.settings : Settings{};
}

TEST(LoadSettings, GivesTheDefaultsForNothing) {
  for (const char* yaml :
       {"", "\n", "# a comment\n", "---\n", "{}", "storage:\nrules:\n", "milter:\n  actions:\n"}) {
    EXPECT_EQ(settings_of(yaml), Settings{}) << yaml;
  }
}

TEST(LoadSettings, ReadsTheMilter) {
  const auto milter = settings_of(R"(
milter:
  socket: unix:/run/shingled/milter.sock
  socket_mode: 0666
  timeout: 2s500ms
  message_bytes_max: 10M
  local_networks: 192.0.2.0/24
  skip_local: yes
  on_failure: {local: accept, authenticated: tempfail, other: reject}
  actions: {discard: 30, reject: off, quarantine: 7.5, tempfail: -1, add_header: null}
  headers: {spam: "", score: X-Points}
  reject_text: "Go away"
)")
                          .milter;
  EXPECT_EQ(milter.socket.kind, SocketSpec::Kind::kUnix);
  EXPECT_EQ(milter.socket.path, "/run/shingled/milter.sock");
  EXPECT_EQ(milter.socket_mode, 0666U);
  EXPECT_EQ(milter.timeout, std::chrono::milliseconds(2500));
  EXPECT_EQ(milter.message_bytes_max, 10U << 20);
  EXPECT_THAT(milter.local_networks, ElementsAre(*Network::parse("192.0.2.0/24")));
  EXPECT_TRUE(milter.skip_local);
  EXPECT_EQ(milter.on_failure, (FailureOptions{FailurePolicy::kAccept, FailurePolicy::kTempfail,
                                               FailurePolicy::kReject}));
  EXPECT_EQ(milter.actions, (ActionOptions{30.0, std::nullopt, 7.5, -1.0, std::nullopt}));
  EXPECT_EQ(milter.headers,
            (HeaderOptions{"",
                           "X-Points",
                           "X-Shingled-Status",
                           "X-Shingled-Result",
                           {"X-Points", "X-Shingled-Status", "X-Shingled-Result"}}));
  EXPECT_EQ(milter.reject_text, "Go away");
}

TEST(LoadSettings, RemovesTheHeadersThatOnlyWeWriteUnlessToldOtherwise) {
  struct Case {
    const char* why;
    const char* headers;
    std::vector<std::string> removed;
  };
  const Case cases[] = {
      {"the mark is everybody's", "{}", HeaderOptions{}.remove},
      {"without a name there is nothing to remove",
       "{score: '', status: ''}",
       {"X-Shingled-Result"}},
      {"none", "{remove: []}", {}},
      {"as told", "{score: X-Points, remove: [X-Spam, X-Points]}", {"X-Spam", "X-Points"}},
      {"in one text", "{remove: 'X-Spam, X-Points'}", {"X-Spam", "X-Points"}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(
        settings_of(std::string("milter: {headers: ") + c.headers + "}").milter.headers.remove,
        c.removed)
        << c.why;
  }
}

TEST(LoadSettings, ReadsTheStorage) {
  const auto storage = settings_of(R"(
storage:
  file: /tmp/f.db
  expire: 0
  sync: 60s
  durability: sync
  listen: ["*", "192.0.2.1:1", "[::1]"]
  allow_update: []
  blocked: 10.0.0.0/8, 2001:db8::/32
  threads: 4
)")
                           .storage;
  EXPECT_EQ(storage.engine.hashfile, "/tmp/f.db");
  EXPECT_EQ(storage.engine.expire.count(), 0);
  EXPECT_EQ(storage.engine.sync, std::chrono::minutes(1));
  EXPECT_EQ(storage.engine.durability, Durability::kSync);
  ASSERT_EQ(storage.server.listen.size(), 3U);
  EXPECT_EQ(storage.server.listen[0].to_string(), "inet:11335");
  EXPECT_EQ(storage.server.listen[1].to_string(), "inet:1@192.0.2.1");
  EXPECT_EQ(storage.server.listen[2].to_string(), "inet6:11335@::1");
  EXPECT_TRUE(storage.server.allow_update.empty());
  EXPECT_EQ(storage.server.blocked.size(), 2U);
  EXPECT_EQ(storage.server.threads, 4U);
}

// A pair of PROTOCOL.md's vectors (wire.json, keys.client) in the three encodings.
constexpr const char* kPublicHex =
    "9492f6e7add0ce6070f61ed0ffba0463007a59a5bb1d8206d6f8e0fd56b74f43";
constexpr const char* kSecretHex =
    "88cbe46ebcb4a652e14bdf5df3191911fa9b76b2e0e814c7ad1f23f68e45ea56";

struct KeyCase {
  const char* why;
  const char* pair;
};
constexpr KeyCase kPairs[] = {
    {"z-base-32 is what rspamd writes",
     "{pubkey: wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy, "
     "privkey: eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}"},
    {"with everything rspamadm keypair prints",
     "{encoding: base32, type: kex, algorithm: curve25519, id: "
     "thapgfi56455cf3nsgwkmcw31ii8kgskjo9fbswo7itax7qpmyknkoif8rgbj3dgg3smx8i3nj6ncp893eeeuojibsro4"
     "e"
     "xjrdurj1y, public_key: wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy, "
     "secret_key: eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}"},
    {"hexadecimal",
     "{encoding: hex, public: 9492f6e7add0ce6070f61ed0ffba0463007a59a5bb1d8206d6f8e0fd56b74f43, "
     "private: 88cbe46ebcb4a652e14bdf5df3191911fa9b76b2e0e814c7ad1f23f68e45ea56}"},
    {"base64",
     "{encoding: base64, pubkey: lJL2563QzmBw9h7Q/7oEYwB6WaW7HYIG1vjg/Va3T0M=, "
     "secret: iMvkbry0plLhS99d8xkZEfqbdrLg6BTHrR8j9o5F6lY=}"},
    {"base64 without padding",
     "{encoding: base64, pubkey: lJL2563QzmBw9h7Q/7oEYwB6WaW7HYIG1vjg/Va3T0M, "
     "private_key: iMvkbry0plLhS99d8xkZEfqbdrLg6BTHrR8j9o5F6lY}"},
};

TEST(LoadSettings, ReadsKeyPairsInEveryEncoding) {
  for (const KeyCase& test : kPairs) {
    SCOPED_TRACE(test.why);
    const auto server =
        settings_of(std::string("storage: {encrypted_only: true, keypair: ") + test.pair + "}")
            .storage.server;
    ASSERT_EQ(server.keypair.size(), 1U);
    EXPECT_EQ(to_hex(server.keypair[0].public_key), kPublicHex);
    EXPECT_EQ(to_hex(BytesView(server.keypair[0].secret_key.reveal(), 32)), kSecretHex);
  }
}

TEST(LoadSettings, KeepsTheOrderOfKeyPairs) {
  const auto server = settings_of(R"(
storage:
  keypair:
    - {pubkey: qeypz5xikdowe74odkwoyagxbhnekitbeb1x4krdmazbfuqzczcy, privkey: auodnhq1bjwmecdrqk9axxu4788oj8zrm9tozkj6gxc57zemkg1y}
    - {pubkey: tzby7r78741x56w7k8r5i3r6yohdmy7m1ekmz8bp3fso51x9ioyy, privkey: a5oyeemx449q8f6mq1st8tp96hx7bu9xcwj186edpttz69x6as6y}
)")
                          .storage.server;
  ASSERT_EQ(server.keypair.size(), 2U);
  EXPECT_EQ(server.keypair[0].public_key[0], 0x0e);
  EXPECT_EQ(server.keypair[1].public_key[0], 0xf1);
}

TEST(LoadSettings, ReadsRules) {
  const auto rules = settings_of(R"(
rules:
  spamtrap:
    algorithm: Fast
    fuzzy_key: secret
    min_bytes: 0
    mime_types: [application/*, image/png]
    servers: a.example, b.example:1
    encryption_key: qeypz5xikdowe74odkwoyagxbhnekitbeb1x4krdmazbfuqzczcy
    timeout: 300ms
    flags:
      denied: {weight: 5}
      my-list: {flag: 1}
      white: {flag: 2, symbol: GOOD, hits_limit: 1, weight: -3.5}
  local:
)")
                         .rules;
  ASSERT_EQ(rules.size(), 2U);
  const RuleOptions& first = rules[0];
  EXPECT_EQ(first.name, "spamtrap");
  EXPECT_EQ(first.hash.algorithm, HashAlgorithm::kFasthash);
  EXPECT_EQ(first.hash.fuzzy_key, "secret");
  EXPECT_EQ(first.hash.min_bytes, 0U);
  EXPECT_EQ(first.hash.min_length, 64U) << "what a rule does not name has its default";
  EXPECT_THAT(first.hash.mime_types, ElementsAre("application/*", "image/png"));
  ASSERT_EQ(first.remote.servers.size(), 2U);
  EXPECT_EQ(first.remote.servers.servers[0].to_string(), "a.example:11335");
  EXPECT_EQ(first.remote.servers.servers[1].to_string(), "b.example:1");
  ASSERT_TRUE(first.remote.encryption_key.has_value());
  EXPECT_EQ(first.remote.encryption_key->front(), 0x0e);
  EXPECT_EQ(first.remote.timeout, std::chrono::milliseconds(300));
  EXPECT_THAT(first.flags.all(), ElementsAre(FlagOptions{"denied", 11, "FUZZY_DENIED", 20.0, 5.0},
                                             FlagOptions{"my-list", 1, "FUZZY_MY_LIST", 20.0, 0.0},
                                             FlagOptions{"white", 2, "GOOD", 1.0, -3.5}));
  EXPECT_EQ(rules[1], RuleOptions{});
  EXPECT_FALSE(first.hash.robust) << "remote servers are asked what others know";
  EXPECT_TRUE(rules[1].hash.robust) << "the embedded engine knows ours, too";
}

TEST(LoadSettings, KeepsTheLocalRuleUnlessItIsSwitchedOffByName) {
  struct Case {
    const char* why;
    const char* text;
    std::vector<std::string> names;
  };
  const Case cases[] = {
      {"no rules", "", {"local"}},
      {"an empty map", "rules: {}", {"local"}},
      {"a feed beside it", "rules: {feed: {servers: x}}", {"local", "feed"}},
      {"it stands where it was put", "rules: {feed: {servers: x}, local: }", {"feed", "local"}},
      {"another one of the embedded storage", "rules: {own: {fuzzy_key: a}}", {"local", "own"}},
      {"switched off", "rules: {local: off, feed: {servers: x}}", {"feed"}},
      {"in another word", "rules: {feed: {servers: x}, local: No}", {"feed"}},
      {"any rule may be", "rules: {feed: off}", {"local"}},
      {"nothing is looked up", "rules: {local: off}", {}},
      {"there is no embedded storage",
       "storage: {enabled: no}\nrules: {feed: {servers: x}}",
       {"feed"}},
  };
  for (const Case& c : cases) {
    std::vector<std::string> names;
    for (const RuleOptions& rule : settings_of(c.text).rules) names.push_back(rule.name);
    EXPECT_EQ(names, c.names) << c.why;
  }
}

TEST(LoadSettings, ReadsTheServersOfARule) {
  const auto rules = settings_of(R"(
rules:
  a:
    servers: "master-slave:a.example:1:5, [2001:db8::1]:2"
    write_servers: [service=fuzzy+example.org]
    write_encryption_key: qeypz5xikdowe74odkwoyagxbhnekitbeb1x4krdmazbfuqzczcy
    resolve_interval: 1h
    protocol: 0x14
    tcp: yes
  b:
    read_servers: [hash:x, y]
)")
                         .rules;
  ASSERT_EQ(rules.size(), 3U);
  const RemoteOptions& a = rules.at(1).remote;
  EXPECT_TRUE(a.is_remote());
  EXPECT_EQ(a.to_read(), a.servers);
  EXPECT_EQ(a.to_read().rotation, Rotation::kMasterSlave);
  ASSERT_EQ(a.to_read().size(), 2U);
  EXPECT_EQ(a.to_read().servers[0].weight, 5U);
  EXPECT_EQ(a.to_read().servers[1].to_string(), "[2001:db8::1]:2");
  EXPECT_EQ(a.to_write(), a.write_servers);
  EXPECT_EQ(a.to_write().servers.at(0).service, "fuzzy");
  EXPECT_EQ(a.key_to_write(), a.write_encryption_key);
  EXPECT_EQ(a.key_to_read(), a.write_encryption_key) << "a missing key is the other one";
  EXPECT_EQ(a.resolve_interval, std::chrono::hours(1));
  EXPECT_EQ(a.protocol, 0x14);
  EXPECT_EQ(a.tcp, TcpUse::kYes);
  const RemoteOptions& b = rules.at(2).remote;
  EXPECT_EQ(b.to_read().rotation, Rotation::kHash);
  EXPECT_EQ(b.to_write(), b.read_servers) << "a missing list is the other one";
  EXPECT_EQ(b.to_write().servers.at(1).to_string(), "y:11335");
  EXPECT_FALSE(rules.at(2).hash.robust);
}

TEST(LoadSettings, ReadsTheChecksOfARuleInGroups) {
  const auto grouped = settings_of(R"(
rules:
  a:
    checks:
      text: {enabled: no, min_length: 100, text_multiplier: 2, text_shingles: no,
             short_text_direct_hash: no, no_subject: yes}
      html: {enabled: yes, min_html_tags: 20, ignore_link_domains: yes}
      image: {enabled: no, min_width: 1, min_height: 2}
      archive: {enabled: no}
)")
                           .rules;
  const auto flat = settings_of(R"(
rules:
  a: {text_hashes: no, min_length: 100, text_multiplier: 2, text_shingles: no,
      short_text_direct_hash: no, no_subject: yes, html_shingles: yes, min_html_tags: 20,
      ignore_link_domains: yes, skip_images: yes, min_width: 1, min_height: 2, scan_archives: no}
)")
                        .rules;
  EXPECT_EQ(grouped, flat);
  EXPECT_FALSE(flat.at(1).hash.text_hashes);
  EXPECT_TRUE(flat.at(1).hash.skip_images);
  EXPECT_EQ(settings_of("rules: {local: {checks: {image: {min_width: 500}, text: }}}"), Settings{})
      << "what a group does not name has its default";
}

TEST(LoadSettings, AppliesOverridesLast) {
  const auto settings = settings_of(
      "milter: {actions: {reject: 5, add_header: 2}}\n",
      {"milter.actions.reject=8", "milter.actions.reject=9", "rules.local.min_length=32",
       "rules.local.flags.denied.flag=3", "storage.listen=127.0.0.1:0,127.0.0.1:1",
       "storage.hashfile=/tmp/a=b", "milter.actions.quarantine=null", "daemon.log_level=debug",
       "storage.trusted=[10.0.0.0/8]"});
  EXPECT_EQ(settings.milter.actions.reject, 9.0);
  EXPECT_EQ(settings.milter.actions.add_header, 2.0) << "others of the map stay";
  ASSERT_EQ(settings.rules.size(), 1U);
  EXPECT_EQ(settings.rules[0].hash.min_length, 32U);
  EXPECT_THAT(settings.rules[0].flags.all(),
              ElementsAre(FlagOptions{"denied", 3, "FUZZY_DENIED", 20.0, 20.0}));
  EXPECT_EQ(settings.storage.server.listen.size(), 2U);
  EXPECT_EQ(settings.storage.engine.hashfile, "/tmp/a=b");
  EXPECT_EQ(settings.daemon.log_level, LogLevel::kDebug);
  EXPECT_THAT(settings.storage.server.trusted, ElementsAre(*Network::parse("10.0.0.0/8")));
}

TEST(LoadSettings, AnOverrideMendsTheFile) {
  EXPECT_EQ(settings_of("storage: {expire: nonsense}", {"storage.expire=90d"}), Settings{});
  EXPECT_EQ(settings_of("storage: nonsense", {"storage={expire: 90d}"}), Settings{});
}

TEST(LoadSettings, AnOverrideOfOneKeyHidesNoFileThatIsNoMap) {
  for (const char* file : {"storage {\n  expire = 90d;\n}\n", "storage: nonsense", "[storage]"}) {
    const std::vector<std::string> overrides = {"storage.expire=90d"};
    const Loaded loaded = load_settings(file, "f", overrides);
    EXPECT_EQ(loaded.settings, nullptr) << file;
    EXPECT_EQ(loaded.problems.size(), 1U) << file;
  }
}

TEST(LoadSettings, WhatCouldBeReadIsThereForFurtherChecks) {
  const Loaded loaded = load_settings(
      "milter: {timeout: nonsense, reject_text: No}\nstorage: {hashfile: /a/b.db}\n", "f");
  EXPECT_EQ(loaded.settings, nullptr);
  ASSERT_NE(loaded.attempt, nullptr);
  EXPECT_EQ(loaded.attempt->storage.engine.hashfile, "/a/b.db");
  EXPECT_EQ(loaded.attempt->milter.timeout, MilterOptions().timeout);
  EXPECT_EQ(load_settings_file("/nonexistent/file").attempt, nullptr);
}

TEST(LoadSettings, WarnsOfAStorageThatEverybodyMayChange) {
  const struct {
    const char* why;
    const char* storage;
    bool warns;
  } cases[] = {
      {"everybody, on all addresses", "listen: '*:11335', allow_update: 0.0.0.0/0", true},
      {"of IPv6", "listen: '[2001:db8::1]:11335', allow_update: [127.0.0.1, '::/0']", true},
      {"an address by name", "listen: 'feed.example:11335', allow_update: 0.0.0.0/0", true},
      {"a network", "listen: '*:11335', allow_update: 10.0.0.0/8", false},
      {"nobody from outside reaches it",
       "listen: ['127.0.0.2:1', '[::1]:1', 'localhost:2'], "
       "allow_update: 0.0.0.0/0",
       false},
      {"nobody may change it", "listen: '*:11335', allow_update: 0.0.0.0/0, read_only: yes", false},
      {"there is none",
       "enabled: no, listen: '*:11335', allow_update: 0.0.0.0/0}\nrules: {local: off", false}};
  for (const auto& c : cases) {
    const Loaded loaded = load_settings("storage: {" + std::string(c.storage) + "}", "f");
    ASSERT_NE(loaded.settings, nullptr) << c.why << loaded.problems.front().to_string();
    ASSERT_EQ(loaded.problems.size(), c.warns ? 1U : 0U) << c.why;
    if (!c.warns) continue;
    EXPECT_EQ(loaded.problems[0].key, "storage.allow_update");
    EXPECT_EQ(loaded.problems[0].severity, Problem::Severity::kWarning);
  }
}

}  // namespace
}  // namespace shingled::config
