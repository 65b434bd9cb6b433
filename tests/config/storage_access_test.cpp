// Covers config/sections/storage_access.cpp, config/sections/key_rights.cpp,
// config/sections/listed.cpp, config/list_file.cpp: who may do what on the fuzzy port.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "config/base/hex.h"
#include "config/list_file.h"
#include "config/load_settings.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A pair of PROTOCOL.md's vectors (wire.json, keys.client), and its long ID.
constexpr const char* kPublic = "wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy";
constexpr const char* kSecret = "eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy";
constexpr const char* kId =
    "thapgfi56455cf3nsgwkmcw31ii8kgskjo9fbswo7itax7qpmyknkoif8rgbj3dgg3smx8i3nj6ncp893eeeuojibsro4e"
    "xj"
    "rdurj1y";

std::string text_of(const Loaded& loaded) {
  std::string out;
  for (const Problem& problem : loaded.problems) out += problem.to_string() + "\n";
  return out;
}

ServerOptions server_of(const std::string& storage) {
  const Loaded loaded = load_settings("storage: {" + storage + "}", "f");
  EXPECT_EQ(text_of(loaded), "") << storage;
  return loaded.settings ? loaded.settings->storage.server : ServerOptions{};
}

std::string problems_of(const std::string& storage) {
  return text_of(load_settings("storage: {" + storage + "}", "f"));
}

std::string pair_with(const std::string& extensions) {
  return std::string("keypair: {pubkey: ") + kPublic + ", privkey: " + kSecret + ", extensions: {" +
         extensions + "}}";
}

KeyRights rights_of(const std::string& extensions) {
  const ServerOptions server = server_of(pair_with(extensions));
  return server.keypair.empty() ? KeyRights{} : server.keypair[0].rights;
}

// Every option of PROTOCOL.md 5.12, by every name: it works, or says why not.
TEST(StorageOptionNames, WorkOrSayWhyNot) {
  const struct {
    const char* name;
    const char* value;
    const char* refusal;  // null = it works
  } cases[] = {
      {"hashfile", "/tmp/f", nullptr},
      {"hash_file", "/tmp/f", nullptr},
      {"file", "/tmp/f", nullptr},
      {"database", "/tmp/f", nullptr},
      {"sync", "60s", "counts with durability: sync only"},
      {"expire", "2d", nullptr},
      {"keypair", "[]", nullptr},
      {"keypair_cache_size", "512", nullptr},
      {"encrypted_only", "false", nullptr},
      {"allow_update", "[localhost]", nullptr},
      {"allow_update_keys", "[]", nullptr},
      {"read_only", "false", nullptr},
      {"blocked", "[10.0.0.0/8]", nullptr},
      {"skip_hashes", "/etc/shingled/skip", nullptr},
      {"delay", "5m", nullptr},
      {"tcp_timeout", "5s", nullptr},
      {"delay_whitelist", "10.0.0.1", nullptr},
      {"ratelimit_network_mask", "24", nullptr},
      {"ratelimit_max_buckets", "2000", nullptr},
      {"ratelimit_bucket_ttl", "3600s", nullptr},
      {"ratelimit_whitelist", "10.0.0.1", nullptr},
      {"ratelimit_log_only", "yes", nullptr},
      {"ratelimit_encrypted", "yes", nullptr},
      {"forbidden_ids", "5", nullptr},
      {"weak_ids", "[5, 6]", nullptr},
      {"dynamic_keys_map", "/etc/shingled/keys", nullptr},
      {"ratelimit_rate", "10", nullptr},
      {"ratelimit_burst", "10", nullptr},
      {"repeat_window", "2d", nullptr},
      {"repeats_max", "5000", nullptr},
      {"backend", "sqlite", nullptr},
      {"backend", "redis", nullptr},
      {"backend", "noop", nullptr},
      {"prefix", "fuzzy", "allowed: redis.prefix"},
      {"updates_maxfail", "3", "is refused with 503 at once"},
      {"dedicated_update_worker", "true", "a thread of their own"},
  };
  for (const auto& c : cases) {
    const std::string problems = problems_of(std::string(c.name) + ": " + c.value);
    if (c.refusal == nullptr) {
      EXPECT_EQ(problems, "") << c.name;
    } else {
      EXPECT_THAT(problems, HasSubstr(c.refusal)) << c.name;
      EXPECT_THAT(problems, HasSubstr("; allowed: ")) << c.name;
      EXPECT_THAT(problems, HasSubstr(std::string("storage.") + c.name)) << c.name;
    }
  }
  EXPECT_EQ(problems_of("ratelimit_rate: 10, ratelimit_burst: 10"), "");
}

TEST(StorageAccess, ReadsTheLimits) {
  const RateLimitOptions limits =
      server_of(
          "ratelimit_rate: 2.5, ratelimit_burst: 100, ratelimit_network_mask: 16, "
          "ratelimit_max_buckets: 50, ratelimit_bucket_ttl: 3s, ratelimit_whitelist: [10.0.0.0/8, "
          "/etc/heavy], ratelimit_log_only: yes")
          .ratelimit;
  EXPECT_EQ(limits.rate, 2.5);
  EXPECT_EQ(limits.burst, 100);
  EXPECT_EQ(limits.network_mask, 16U);
  EXPECT_EQ(limits.max_buckets, 50U);
  EXPECT_EQ(limits.sealed, (RateOptions{60'000, 120'000}));
  EXPECT_EQ(limits.bucket_ttl, std::chrono::seconds(3)) << "three seconds are three seconds";
  EXPECT_THAT(limits.whitelist, ElementsAre(*Network::parse("10.0.0.0/8")));
  EXPECT_TRUE(limits.log_only);
  EXPECT_TRUE(limits.enabled());
  EXPECT_TRUE(RateLimitOptions{}.enabled()) << "by default there are some";
  for (const char* off : {"ratelimit_rate: 0", "ratelimit_burst: 0"})
    EXPECT_FALSE(server_of(off).ratelimit.enabled()) << off;
  EXPECT_THAT(problems_of("ratelimit_rate: 1, ratelimit_burst: 0.5"),
              HasSubstr("no request would pass"));
  EXPECT_THAT(problems_of("ratelimit_rate: -1, ratelimit_burst: 5"), HasSubstr("out of range"));
  EXPECT_EQ(server_of("ratelimit_sealed_rate: 7, ratelimit_sealed_burst: 0").ratelimit.sealed,
            (RateOptions{7, 0}));
  EXPECT_THAT(problems_of("ratelimit_sealed_burst: 0.5"), HasSubstr("no request would pass"));
}

TEST(StorageAccess, ReadsHowLongARepeatIsKnown) {
  const RepeatOptions repeats = server_of("repeat_window: 2h, repeats_max: 1000").repeats;
  EXPECT_EQ(repeats.window, std::chrono::hours(2));
  EXPECT_EQ(repeats.most, 1000U);
  EXPECT_THAT(problems_of("repeat_window: 59s"), HasSubstr("out of range"));
  EXPECT_THAT(problems_of("repeats_max: 999"), HasSubstr("out of range"));
}

TEST(StorageAccess, DoesNotLetAnybodyChangeHowManyKeysMayBeAgreedOn) {
  const Loaded loaded =
      load_settings("storage: {key_agreement_rate: 10, key_agreement_source_burst: 4}", "f");
  ASSERT_NE(loaded.settings, nullptr);
  EXPECT_EQ(loaded.settings->storage.server.agreements, AgreementOptions{});
  EXPECT_THAT(problems_of("key_agreement_rate: 10"),
              HasSubstr("warning: storage.key_agreement_rate: is no longer an option: it is always "
                        "1000"));
}

TEST(StorageAccess, TakesEntriesAndFilesInOneList) {
  const ServerOptions server = server_of(
      "blocked: [10.0.0.0/8, /etc/a, 'file:///etc/b', localhost], skip_hashes: [/etc/skip], "
      "allow_update: /etc/writers, dynamic_keys_map: 'file:///etc/keys', keypair: [/etc/pairs]");
  EXPECT_THAT(server.blocked, ElementsAre(*Network::parse("10.0.0.0/8"),
                                          *Network::parse("127.0.0.0/8"), *Network::parse("::1")));
  EXPECT_THAT(server.files.blocked, ElementsAre("/etc/a", "/etc/b"));
  EXPECT_THAT(server.files.skip_hashes, ElementsAre("/etc/skip"));
  EXPECT_THAT(server.files.allow_update, ElementsAre("/etc/writers"));
  EXPECT_THAT(server.allow_update, IsEmpty());
  EXPECT_EQ(server.files.dynamic_keys_map, "/etc/keys");
  EXPECT_THAT(server.files.keypair, ElementsAre("/etc/pairs"));
  EXPECT_THAT(problems_of("blocked: 'https://example.org/list'"),
              HasSubstr("lists are not fetched from elsewhere"));
  EXPECT_THAT(problems_of("blocked: somewhere"), HasSubstr("'somewhere' is not a network"));
  EXPECT_THAT(problems_of("dynamic_keys_map: 'http://example.org/'"), HasSubstr("not fetched"));
}

TEST(StorageAccess, ForgetsTheDefaultAddressesWhereKeysHaveRights) {
  const ServerOptions defaults;
  EXPECT_FALSE(defaults.allow_update.empty());
  EXPECT_EQ(server_of("read_only: no").allow_update, defaults.allow_update);
  EXPECT_EQ(server_of(pair_with("")).allow_update, defaults.allow_update)
      << "a key that may only read";
  EXPECT_THAT(server_of(std::string("allow_update_keys: [") + kId + "]").allow_update, IsEmpty());
  EXPECT_THAT(server_of("allow_update_keys: /etc/ids").allow_update, IsEmpty());
  EXPECT_THAT(server_of(pair_with("read_only: false")).allow_update, IsEmpty());
  EXPECT_THAT(server_of("allow_update: 10.0.0.1, " + pair_with("read_only: false")).allow_update,
              ElementsAre(*Network::parse("10.0.0.1")))
      << "who says both means the addresses, as in rspamd";
}

TEST(StorageAccess, ReadsKeyIdsDigestsAndFlags) {
  const ServerOptions server = server_of(
      std::string("allow_update_keys: ") + kId + ", skip_hashes: [" + std::string(128, 'a') + ", " +
      std::string(128, 'B') + "], forbidden_ids: 7, weak_ids: [0, 255]");
  ASSERT_EQ(server.allow_update_keys.size(), 1U);
  ASSERT_EQ(server.skip_hashes.size(), 2U);
  EXPECT_EQ(server.skip_hashes[1][0], 0xbb);
  EXPECT_THAT(server.forbidden_ids, ElementsAre(7));
  EXPECT_THAT(server.weak_ids, ElementsAre(0, 255));
  const std::string hex_id = to_hex(server.allow_update_keys[0]);
  EXPECT_EQ(server_of("allow_update_keys: " + hex_id).allow_update_keys, server.allow_update_keys);
  for (const char* wrong : {"forbidden_ids: 256", "forbidden_ids: -1", "weak_ids: [x]"})
    EXPECT_THAT(problems_of(wrong), HasSubstr("is not a flag; allowed: numbers from 0 to 255"));
}

TEST(KeyExtensions, GiveRights) {
  const auto ops = [](const std::string& extensions) {
    const KeyRights rights = rights_of(extensions);
    return std::string(rights.may_read ? "r" : "") + (rights.may_write ? "w" : "") +
           (rights.may_delete ? "d" : "");
  };
  const struct {
    const char* why;
    const char* extensions;
    const char* ops;
  } cases[] = {
      {"nothing is said", "", "r"},
      {"read_only", "read_only: true", "r"},
      {"not read_only", "read_only: false", "rwd"},
      {"some", "allowed_ops: [read, write]", "rw"},
      {"write alone", "allowed_ops: [write]", "w"},
      {"one", "allowed_ops: delete", "d"},
      {"none", "allowed_ops: []", ""},
      {"allowed_ops wins", "read_only: false, allowed_ops: [read]", "r"},
      {"whatever the order", "allowed_ops: [read, delete], read_only: true", "rd"},
  };
  for (const auto& c : cases) EXPECT_EQ(ops(c.extensions), c.ops) << c.why;
  EXPECT_THAT(problems_of(pair_with("allowed_ops: [reed]")),
              HasSubstr("'reed' is not an operation; allowed: read, write, delete"));
}

TEST(KeyExtensions, ReadTheRest) {
  const KeyRights rights = rights_of("name: partner, forbidden_ids: [3, 4], ratelimit: 5 / 1m");
  EXPECT_EQ(rights.name, "partner");
  ASSERT_TRUE(rights.forbidden_ids);
  EXPECT_THAT(*rights.forbidden_ids, ElementsAre(3, 4));
  ASSERT_TRUE(rights.ratelimit);
  EXPECT_DOUBLE_EQ(rights.ratelimit->rate, 5.0 / 60);
  EXPECT_EQ(rights.ratelimit->burst, 5);
  EXPECT_FALSE(rights_of("").forbidden_ids) << "the server's own";
  EXPECT_TRUE(rights_of("forbidden_ids: []").forbidden_ids) << "none at all";
  const std::optional<RateOptions> two_a_second(RateOptions{2, 10});
  EXPECT_EQ(rights_of("ratelimit: [10, 2]").ratelimit, two_a_second) << "burst, rate";
  EXPECT_EQ(rights_of("ratelimit: {rate: 2, burst: 10}").ratelimit, two_a_second);
  for (const char* wrong :
       {"ratelimit: 5", "ratelimit: 0 / 1m", "ratelimit: [1]", "ratelimit: [1, 2, 3]",
        "ratelimit: [a, 1]", "ratelimit: {rate: 1}", "ratelimit: [0.5, 1]",
        "ratelimit: [5, 2000000]", "ratelimit: [[1], 2]"})
    EXPECT_NE(problems_of(pair_with(wrong)), "") << wrong;
}

TEST(KeyExtensions, ExpireAtMidnightOfThatDayHere) {
  const char* before = std::getenv("TZ");
  const std::string kept = before != nullptr ? before : "";
  const struct {
    const char* why;
    const char* zone;
    const char* day;
    std::int64_t midnight;
  } cases[] = {
      {"UTC", "UTC0", "01-01-2030", 1893456000},
      {"east of it the day begins earlier", "EST-10", "01-01-2030", 1893456000 - 36000},
      {"summer time counts", "CET-1CEST,M3.5.0,M10.5.0/3", "01-07-2030", 1909094400 - 7200},
      {"the last day of February", "UTC0", "29-02-2028", 1835395200},
  };
  for (const auto& c : cases) {
    ::setenv("TZ", c.zone, 1);
    ::tzset();
    const KeyRights rights = rights_of(std::string("expire: ") + c.day);
    ASSERT_TRUE(rights.expire) << c.why;
    EXPECT_EQ(rights.expire->time_since_epoch().count(), c.midnight) << c.why;
  }
  for (const char* wrong : {"31-06-2030", "29-02-2030", "00-01-2030", "01-13-2030", "2030-01-01",
                            "1-1-2030", "01.01.2030", "01-01-30", "tomorrow", "01-01-0001"})
    EXPECT_THAT(problems_of(pair_with(std::string("expire: ") + wrong)), HasSubstr("is not a day"))
        << wrong;
  if (before != nullptr) {
    ::setenv("TZ", kept.c_str(), 1);
  } else {
    ::unsetenv("TZ");
  }
  ::tzset();
}

// Whatever is wrong around a private key, its text stays out of the problem.
TEST(KeyExtensions, ProblemsNeverShowAKey) {
  const std::string secret = kSecret;
  const std::string cases[] = {
      "keypair: " + secret,
      "keypair: [" + secret + "]",
      "keypair: {pubkey: " + std::string(kPublic) + ", privkey: [" + secret + "]}",
      "keypair: {pubkey: " + std::string(kPublic) + ", privkey: " + secret + "y}",
      "keypair: {privkey: " + secret + "}",
      "keypair: {privkey " + secret + ": }",
      "keypair: {" + secret + ": , pubkey: " + kPublic + "}",
      "keypair: {" + secret + ": 1, " + secret + ": 2}",
      "keypair: {keypair: {privkey: " + secret + ", " + secret + ": 1}}",
      "keypair: {extensions: {" + secret + ": 1}}",
      "dynamic_keys_map: " + secret,
      "dynamic_keys_map: [" + secret + "]",
      "allow_update_keys: " + secret,
      "skip_hashes: [" + secret + "]",
  };
  for (const std::string& text : cases) {
    const std::string problems = problems_of(text);
    EXPECT_NE(problems, "") << text;
    EXPECT_THAT(problems, Not(HasSubstr(secret.substr(0, 16)))) << text;
  }
}

TEST(ListFile, ReadsOneEntryALine) {
  const auto networks =
      parse_networks("# all\n 10.0.0.0/8 , 192.0.2.1\r\n\nlocalhost # us\n2001:db8::/32");
  ASSERT_TRUE(networks) << networks.error().message;
  EXPECT_EQ(networks->size(), 5U);
  EXPECT_TRUE(parse_networks("")->empty());
  EXPECT_TRUE(parse_networks("# nothing")->empty());
  EXPECT_EQ(parse_networks("10.0.0.1\n\nbad\n").error().message,
            "line 3: is not a valid entry of this list; allowed: an IP address, a network such as "
            "192.0.2.0/24, or "
            "localhost");
  EXPECT_EQ(parse_key_ids(std::string(kId) + "\n" + kId)->size(), 2U);
  EXPECT_FALSE(parse_key_ids(kPublic)) << "a key is no ID";
  EXPECT_EQ(parse_digests(std::string(128, '0') + "\n")->size(), 1U);
  EXPECT_FALSE(parse_digests(std::string(127, '0')));
}

TEST(ListFile, ReadsKeysAsYamlAndAsJson) {
  const std::string one = std::string("{\"pubkey\": \"") + kPublic + "\", \"privkey\": \"" +
                          kSecret + "\", \"extensions\": {\"name\": \"a\", \"read_only\": false}}";
  for (const std::string& text :
       {"[" + one + "]", "- " + one + "\n", one, "[{\"keypair\": " + one + "}]"}) {
    const auto pairs = parse_keypairs(text);
    ASSERT_TRUE(pairs) << text << pairs.error().message;
    ASSERT_EQ(pairs->size(), 1U);
    EXPECT_EQ(pairs->front().rights.name, "a");
    EXPECT_TRUE(pairs->front().rights.may_write);
  }
  EXPECT_TRUE(parse_keypairs("[]")->empty());
  EXPECT_TRUE(parse_keypairs("")->empty());
  EXPECT_FALSE(parse_keypairs("[/etc/shingled/more]")) << "a file names no other file";
}

}  // namespace
}  // namespace shingled::config
