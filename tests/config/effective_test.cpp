#include "config/effective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>

#include "config/loader.h"
#include "config/reference/key_text.h"

namespace shingled::config {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string shipped_file() {
  std::ifstream in(SHINGLED_SOURCE_DIR "/packaging/shingled.yaml", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string line_of(const Effective& effective, std::string_view key) {
  for (const EffectiveKey& one : effective.keys) {
    if (one.key == key) return one.value + " from " + one.source;
  }
  return "absent";
}

std::vector<std::string> as_overrides(const Effective& effective) {
  std::vector<std::string> out;
  for (const EffectiveKey& one : effective.keys) {
    if (!one.is_secret) out.push_back(one.key + '=' + one.value);
  }
  return out;
}

struct Case {
  const char* why;
  const char* yaml;
};
constexpr Case kCases[] = {
    {"nothing is given", ""},
    {"a rule of another name, remote: robust has another default",
     "rules: {feed: {servers: 'master-slave:a.example:11335:2, b.example', timeout: 2s}}"},
    {"two rules, lists of our own",
     "rules: {local: {}, b: {flags: {denied: , phish: {flag: 40}}}}"},
    {"checks stand for settings of the rule",
     "rules: {local: {checks: {text: {enabled: no, min_length: 50}, image: {enabled: no}}}}"},
    {"another name of a key", "storage: {hash_file: /tmp/x.db, expire: 30d}"},
    {"texts that need quotes",
     "milter: {reject_text: \"a: 'b' #c \\\"d\\\" \\\\ e\", headers: {spam: '', result: '~'}}\n"
     "daemon: {group: 'null', user: '*x'}"},
    {"lists and maps in lists",
     "similar: {lists: [{name: bad-documents, score: 8}, {name: our.forms, good: true}]}\n"
     "storage: {listen: ['*:11335', '[::1]:1'], forbidden_ids: [1, 2]}"},
    {"rates stand instead of the shipped ones",
     "ratelimit: {rates: {to: [100, 2 / 1m], network_to_domain: {rate: 5 / 1h, overrides: "
     "[{domain: a.example, rate: off}]}}}"},
    {"actions that are off", "milter: {actions: {reject: off, add_header: null, discard: 50}}"},
    {"keys with rights, so that addresses have none by default",
     "storage: {allow_update_keys: /etc/shingled/keys}"},
};

TEST(Effective, GivenAsOverridesMakesTheSameSettings) {
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.why);
    const Effective effective = effective_settings(test.yaml, "f");
    EXPECT_THAT(effective.problems, IsEmpty());
    const Loaded wanted = load_settings(test.yaml, "f");
    const Loaded again = load_settings("", "f", as_overrides(effective));
    for (const Problem& problem : again.problems) ADD_FAILURE() << problem.to_string();
    ASSERT_TRUE(wanted.settings && again.settings);
    EXPECT_EQ(*again.settings, *wanted.settings);
  }
}

TEST(Effective, HasEveryKeyOfTheShippedFile) {
  const Effective all = effective_settings(shipped_file(), "shipped");
  const Effective none = effective_settings("", "f");
  ASSERT_EQ(all.keys.size(), none.keys.size());
  for (std::size_t i = 0; i < all.keys.size(); ++i) {
    EXPECT_EQ(all.keys[i].key, none.keys[i].key);
    EXPECT_EQ(none.keys[i].source, "default");
    EXPECT_THAT(all.keys[i].source, HasSubstr("shipped:"));
    EXPECT_NE(find_key(all.keys[i].key), nullptr) << all.keys[i].key;
  }
  EXPECT_GT(all.keys.size(), 200U);
}

TEST(Effective, SaysWhereAValueIsFrom) {
  const std::vector<std::string> overrides = {"milter.dry_run=true"};
  const Effective found = effective_settings(
      "milter:\n  timeout: 3s\nstorage: {hash_file: /x.db}\n"
      "rules:\n  local:\n    checks:\n      text: {min_length: 40}\n",
      "f", overrides);
  EXPECT_EQ(line_of(found, "milter.timeout"), "3s from f:2");
  EXPECT_EQ(line_of(found, "milter.dry_run"), "true from -o");
  EXPECT_EQ(line_of(found, "milter.drain_time"), "30s from default");
  EXPECT_EQ(line_of(found, "storage.hashfile"), "/x.db from f:3");
  EXPECT_EQ(line_of(found, "rules.local.checks.text.min_length"), "40 from f:7");
  EXPECT_EQ(line_of(found, "rules.local.min_length"), "absent") << "the other one stands for it";
}

TEST(Effective, NeverHasASecret) {
  const std::string secret = "sesame-open-up";
  const std::string key(52, 'y');
  const std::string yaml =
      "storage:\n  redis: {password: " + secret + "}\n  keypair: {pubkey: " + key +
      ", privkey: " + key + "}\n  sync_keypair: {pubkey: " + key + ", privkey: " + key +
      "}\nratelimit: {redis: {password: " + secret +
      "}}\ncounters: {servers: a, redis: {password: " + secret +
      "}}\nrules: {local: {fuzzy_key: " + secret + ", fuzzy_shingles_key: " + secret + "}}\n";
  const Effective found = effective_settings(yaml, "f");
  EXPECT_THAT(found.problems, IsEmpty());
  std::set<std::string> hidden;
  for (const EffectiveKey& one : found.keys) {
    EXPECT_THAT(one.value, Not(HasSubstr(secret)));
    EXPECT_THAT(one.value, Not(HasSubstr(key)));
    if (one.is_secret) hidden.insert(one.key);
  }
  EXPECT_EQ(hidden, (std::set<std::string>{"counters.redis.password", "ratelimit.redis.password",
                                           "rules.local.fuzzy_key",
                                           "rules.local.fuzzy_shingles_key", "storage.keypair",
                                           "storage.redis.password", "storage.sync_keypair"}));
}

TEST(ConstantValue, IsNoNewsInAFileThatWasShippedBefore) {
  std::ifstream in(SHINGLED_SOURCE_DIR "/tests/fuzz/seeds/fuzz_yaml/shipped.yaml");
  const std::string shipped{std::istreambuf_iterator<char>(in), {}};
  ASSERT_THAT(shipped, ::testing::HasSubstr("mta_timeout: 7210s"));
  EXPECT_THAT(load_settings(shipped, "f", {}).problems, ::testing::IsEmpty());
}

TEST(ConstantValue, IsThatOfKeysThatWereOptionsOnce) {
  const Settings settings;
  const struct {
    const char* key;
    std::string value;
  } cases[] = {
      {"mime.words_max", std::to_string(settings.mime.words_max)},
      {"counters.pieces.piece_bytes_max", "1K"},
      {"storage.redis.cache_entries", std::to_string(settings.storage.redis.cache_entries)},
      {"storage.key_agreement_source_rate", "100"},
      {"rules.local.revive_time", "1m"},
      {"milter.mta_timeout", "2h10s"},
      {"mime.work_max", ""},
      {"mime", ""},
      {"mime.words_max.x", ""},
      {"words_max", ""},
      {"rules.local", ""},
      {"rules.local.timeout", ""},
      {"rules.", ""},
      {"", ""},
  };
  for (const auto& test : cases) {
    EXPECT_EQ(constant_value(test.key), test.value) << test.key;
    if (test.value.empty()) continue;
    const auto loaded_with = [&](const std::string& value) {
      const std::vector<std::string> given = {std::string(test.key) + "=" + value};
      return load_settings("rules: {local: {}}", "f", given);
    };
    EXPECT_THAT(loaded_with(test.value).problems, ::testing::IsEmpty())
        << test.key << ": a file of an earlier version that leaves it alone";
    const Loaded loaded = loaded_with("77");
    ASSERT_EQ(loaded.problems.size(), 1U) << test.key;
    EXPECT_THAT(loaded.problems.front().to_string(),
                ::testing::HasSubstr(std::string(test.key) +
                                     ": is no longer an option: it is always " + test.value));
  }
}

TEST(Effective, OfWrongSettingsHasTheProblemsOnly) {
  const Effective found = effective_settings("milter: {timeout: x}", "f");
  EXPECT_THAT(found.keys, IsEmpty());
  EXPECT_EQ(found.problems.size(), 1U);
}

}  // namespace
}  // namespace shingled::config
