// Covers config/validate.cpp, config/overrides.cpp, config/sections/daemon.cpp,
// config/sections/keypair.cpp, config/sections/milter.cpp, config/sections/mime.cpp,
// config/sections/redis.cpp, config/sections/remote.cpp, config/sections/replication.cpp,
// config/sections/rules.cpp, config/sections/storage.cpp: every check, with the exact text that an
// operator reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> problems_of(std::string_view yaml,
                                     const std::vector<std::string>& overrides = {}) {
  const Loaded loaded = load_settings(yaml, "f", overrides);
  EXPECT_EQ(loaded.settings == nullptr,
            std::any_of(loaded.problems.begin(), loaded.problems.end(),
                        [](const Problem& problem) { return problem.is_error(); }));
  std::vector<std::string> out;
  for (const Problem& problem : loaded.problems) out.push_back(problem.to_string());
  return out;
}

struct Case {
  const char* why;
  const char* yaml;
  const char* problem;
};

void expect_problems(std::span<const Case> cases) {
  for (const Case& test : cases) {
    SCOPED_TRACE(test.why);
    EXPECT_THAT(problems_of(test.yaml), ElementsAre(test.problem));
  }
}

TEST(Problems, OfTheDaemon) {
  constexpr Case kCases[] = {
      {"a level we do not have", "daemon: {log_level: loud}",
       "f:1:21: daemon.log_level: 'loud' is not one of the choices; allowed: debug, info, warning, "
       "error"},
      {"two places for one log", "daemon: {log_file: /var/log/x, syslog: mail}",
       "f:1:40: daemon.syslog: there is one log, and log_file names it; allowed: one of the two"},
      {"a relative path would depend on where we start", "daemon: {pid_file: a.pid}",
       "f:1:20: daemon.pid_file: 'a.pid' is not an absolute path; allowed: an absolute path, or "
       "\"\" "
       "for none"},
  };
  expect_problems(kCases);
}

TEST(Problems, OfTheMilter) {
  constexpr Case kCases[] = {
      {"a mode the owner cannot use", "milter: {socket_mode: 0066}",
       "f:1:23: milter.socket_mode: '0066' is not a valid mode of a socket; allowed: octal 0600 to "
       "0777, at "
       "least rw for the owner"},
      {"a mode that is not octal", "milter: {socket_mode: 0680}",
       "f:1:23: milter.socket_mode: '0680' is not a valid mode of a socket; allowed: octal 0600 to "
       "0777, at "
       "least rw for the owner"},
      {"a socket without a port", "milter: {socket: localhost}",
       "f:1:18: milter.socket: 'localhost' is not a valid socket: the port is missing; allowed: "
       "inet:PORT@HOST, inet6:PORT@HOST, unix:/PATH, local:/PATH, HOST:PORT, [IPV6]:PORT"},
      {"a score that is not a number", "milter: {actions: {reject: .nan}}",
       "f:1:28: milter.actions.reject: '.nan' is not a score; allowed: a score such as 7.5, or "
       "null "
       "or "
       "off for never"},
      {"an infinite score", "milter: {actions: {reject: inf}}",
       "f:1:28: milter.actions.reject: 'inf' is not a score; allowed: a score such as 7.5, or null "
       "or "
       "off for never"},
      {"an action we do not have", "milter: {actions: {rejects: 1}}",
       "f:1:20: milter.actions.rejects: unknown key; did you mean 'reject'?"},
      {"a policy we do not have", "milter: {on_failure: {other: discard}}",
       "f:1:30: milter.on_failure.other: 'discard' is not one of the choices; allowed: accept, "
       "tempfail, reject"},
      {"a header name with a colon", "milter: {headers: {spam: 'X-Spam:'}}",
       "f:1:26: milter.headers.spam: 'X-Spam:' is not a valid name of a header; allowed: 1 to 64 "
       "printable ASCII "
       "characters without space and colon, or \"\" for none"},
      {"a header name that ends the line", "milter: {headers: {spam: \"X\\r\\nY\"}}",
       "f:1:26: milter.headers.spam: 'X\\x0d\\x0aY' is not a valid name of a header; allowed: 1 to "
       "64 printable "
       "ASCII characters without space and colon, or \"\" for none"},
      {"a second subject", "milter: {headers: {spam: subject}}",
       "f:1:26: milter.headers.spam: 'subject' is a header of the mail itself; allowed: a name of "
       "our own"},
      {"the subject would be removed", "milter: {headers: {remove: [X-A, subject]}}",
       "f:1:34: milter.headers.remove[1]: 'subject' is a header of the mail itself; allowed: a "
       "name "
       "of our own"},
      {"a header to remove with a colon", "milter: {headers: {remove: 'X-A, X-B:'}}",
       "f:1:28: milter.headers.remove: 'X-B:' is not a valid name of a header; allowed: names of "
       "headers, each "
       "of 1 to 64 printable ASCII characters without space and colon"},
      {"two headers of one name", "milter: {headers: {spam: X-A, score: x-a}}",
       "f:1:38: milter.headers.score: 'x-a' is also the name of 'spam'; allowed: another one"},
      {"a reply of two lines", "milter: {reject_text: \"a\\r\\n250 b\"}",
       "f:1:23: milter.reject_text: 'a\\x0d\\x0a250 b' is not a valid text for an SMTP reply; "
       "allowed: 1 to "
       "450 printable ASCII characters on one line"},
      {"a reply that is not ASCII", "milter: {reject_text: \"n\xc3\xb6\"}",
       "f:1:23: milter.reject_text: 'n\\xc3\\xb6' is not a valid text for an SMTP reply; allowed: "
       "1 to 450 "
       "printable ASCII characters on one line"},
      {"an empty reply", "milter: {reject_text: ''}",
       "f:1:23: milter.reject_text: '' is not a valid text for an SMTP reply; allowed: 1 to 450 "
       "printable "
       "ASCII characters on one line"},
  };
  expect_problems(kCases);
}

TEST(Problems, OfTheStorage) {
  constexpr Case kCases[] = {
      {"a hash would be gone before it is used", "storage: {expire: 30s}",
       "f:1:19: storage.expire: '30s' is out of range; allowed: 0 (never) or 1m to 36500d"},
      {"a file needs a name", "storage: {hashfile: ''}",
       "f:1:21: storage.hashfile: is empty; allowed: the absolute path of the database file"},
      {"what it is relative to would depend on where we start", "storage: {hashfile: fuzzy.db}",
       "f:1:21: storage.hashfile: 'fuzzy.db' is not an absolute path; allowed: the absolute path "
       "of "
       "the "
       "database file"},
      {"put off for no time", "storage: {durability: sync}",
       "f:1:23: storage.durability: 'sync' needs a time between commits; allowed: with a setting "
       "of "
       "sync such as 10s, or commit or normal"},
      {"nobody could be served", "storage: {encrypted_only: true}",
       "f:1:27: storage.encrypted_only: no client could be served without a key; allowed: with a "
       "keypair (see `shingled keypair`)"},
      {"one place twice", "storage: {listen: ['127.0.0.1:11335', 127.0.0.1]}",
       "f:1:19: storage.listen: inet:11335@127.0.0.1 and inet:11335@127.0.0.1 are the same place; "
       "allowed: each address and port once"},
      {"one of them is any address", "storage: {listen: ['*:1', '127.0.0.1:1']}",
       "f:1:19: storage.listen: inet:1@127.0.0.1 and inet:1 are the same place; allowed: each "
       "address and port once"},
      {"a budget without room for the largest message", "milter: {memory_max: 64M}",
       "f:1:22: milter.memory_max: has no room for a message of milter.message_bytes_max with its "
       "analysis; allowed: at least 304M"},
      {"the largest message too large for the budget", "milter: {message_bytes_max: 1G}",
       "f:1:1: milter.memory_max: has no room for a message of milter.message_bytes_max with its "
       "analysis; allowed: at least 2902M"},
      {"the milter is there", "storage: {listen: '127.0.0.1:11339'}",
       "f:1:19: storage.listen: inet:11339@127.0.0.1 is also the place of milter.socket; allowed: "
       "another port"},
      {"the built-in rule has nobody to ask", "storage: {enabled: false}",
       "f:1:20: rules.local.servers: is empty and the embedded storage is disabled; allowed: "
       "servers, or storage.enabled: true"},
      {"a rule has nobody to ask", "storage: {enabled: false}\nrules: {a: {servers: x}, b: }",
       "f:2:26: rules.b.servers: is empty and the embedded storage is disabled; allowed: servers, "
       "or storage.enabled: true"},
  };
  expect_problems(kCases);
}

TEST(Problems, OfServers) {
  constexpr Case kCases[] = {
      {"a unix socket", "rules: {a: {servers: 'unix:/run/x'}}",
       "f:1:22: rules.a.servers: 'unix:/run/x' is a unix socket; allowed: HOST:PORT, [IPV6]:PORT, "
       "HOST:PORT:WEIGHT, service=NAME+DOMAIN"},
      {"no weight", "rules: {a: {read_servers: [b, 'c:1:0']}}",
       "f:1:31: rules.a.read_servers[1]: 'c:1:0' is not a valid server: the weight must be 1 to "
       "1000; "
       "allowed: HOST:PORT, [IPV6]:PORT, HOST:PORT:WEIGHT, service=NAME+DOMAIN"},
      {"a version nobody speaks", "rules: {a: {servers: b, protocol: 2}}",
       "f:1:35: rules.a.protocol: '2' is not one of the choices; allowed: auto, 3, 4, 5, 0x14"},
  };
  expect_problems(kCases);
}

TEST(Problems, NotOfPortsThatDoNotMeet) {
  EXPECT_THAT(problems_of("storage: {listen: ['127.0.0.1:0', '127.0.0.1:0']}"), IsEmpty());
  EXPECT_THAT(problems_of("storage: {listen: ['*:1', '[::]:1']}"), IsEmpty());
  EXPECT_THAT(problems_of("storage: {listen: '127.0.0.2:11339'}"), IsEmpty());
  EXPECT_THAT(problems_of("storage: {listen: '*:11339'}\nmilter: {enabled: no}"), IsEmpty());
  EXPECT_THAT(problems_of("storage: {enabled: no, listen: '*:11339'}\nrules: {a: {servers: x}}"),
              IsEmpty());
}

TEST(Problems, OfKeysNeverShowTheKey) {
  constexpr Case kCases[] = {
      {"a key alone", "storage: {keypair: SECRET}",
       "f:1:20: storage.keypair: is not a key pair; allowed: a map with pubkey and privkey, or a "
       "list "
       "of such maps"},
      {"half a pair",
       "storage: {keypair: {privkey: eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}}",
       "f:1:20: storage.keypair: has no pubkey; allowed: a map with pubkey and privkey"},
      {"too short",
       "storage: {keypair: [{pubkey: yy, secret: "
       "eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}]}",
       "f:1:30: storage.keypair[0].pubkey: has 1 bytes; allowed: 32 bytes in z-base-32"},
      {"not in the alphabet",
       "storage: {keypair: {pubkey: wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy, privkey: "
       "SECRET}}",
       "f:1:92: storage.keypair.privkey: is not z-base-32; allowed: 32 bytes in z-base-32"},
      {"a signing key",
       "storage: {keypair: {type: sign, pubkey: "
       "wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy, privkey: "
       "eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}}",
       "f:1:27: storage.keypair.type: 'sign' is not supported; allowed: kex"},
      {"another curve",
       "storage: {keypair: {algorithm: nistp256, pubkey: "
       "wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy, privkey: "
       "eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}}",
       "f:1:32: storage.keypair.algorithm: 'nistp256' is not supported; allowed: curve25519"},
      {"the private key where a word belongs",
       "storage: {keypair: {pubkey: wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy, privkey: "
       "eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy, encoding: "
       "eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}}",
       "f:1:156: storage.keypair.encoding: is not one of the choices; allowed: base32, zbase32, "
       "hex, "
       "base64"},
      {"an id of another length",
       "storage: {keypair: {id: yy, pubkey: wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy, "
       "privkey: eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}}",
       "f:1:25: storage.keypair.id: has 1 bytes; allowed: 64 bytes in z-base-32"},
      {"the same key twice",
       "storage:\n  keypair:\n  - {pubkey: wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy, "
       "privkey: eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}\n"
       "  - {pubkey: wwrp9uziosubga366yw9x71yddywzciw5p8reda4a8a5xm7sx4oy, privkey: "
       "eh1jqztzwijfioxj9qzg9crdto6zj5jsy84jtdzi9aecx8sekziy}\n",
       "f:4:5: storage.keypair[1]: the public key begins with the same 8 bytes as an earlier one; "
       "allowed: keys that a packet can tell apart"},
      {"the servers' key", "rules: {a: {encryption_key: SECRET}}",
       "f:1:29: rules.a.encryption_key: is not z-base-32; allowed: 32 bytes in z-base-32"},
  };
  expect_problems(kCases);
}

TEST(Problems, OfRules) {
  constexpr Case kCases[] = {
      {"rspamd would silently take siphash", "rules: {a: {algorithm: md5}}",
       "f:1:24: rules.a.algorithm: 'md5' is not one of the choices; allowed: mumhash, siphash, "
       "old, "
       "xxhash, fasthash, fast"},
      {"a name that -o could not say", "rules: {a.b: {}}",
       "f:1:9: rules.a.b: 'a.b' is not a valid name; allowed: a letter, then up to 63 letters, "
       "digits, '_' "
       "or '-'"},
      {"fewer words than there are shingles", "rules: {a: {min_length: 31}}",
       "f:1:25: rules.a.min_length: '31' is out of range; allowed: 32 to 1000000"},
      {"texts would count for nothing", "rules: {a: {text_multiplier: 0}}",
       "f:1:30: rules.a.text_multiplier: '0' is out of range; allowed: 0.01 to 1000"},
      {"a check in two places", "rules: {a: {min_length: 40, checks: {text: {min_length: 50}}}}",
       "f:1:45: rules.a.checks.text.min_length: another name of 'min_length', which is given in "
       "line 1"},
      {"a switch in two places", "rules: {a: {skip_images: no, checks: {image: {enabled: no}}}}",
       "f:1:47: rules.a.checks.image.enabled: another name of 'skip_images', which is given in "
       "line 1"},
      {"a check we do not have", "rules: {a: {checks: {images: {enabled: no}}}}",
       "f:1:22: rules.a.checks.images: unknown key; did you mean 'image'?"},
      {"a setting of another check", "rules: {a: {checks: {text: {min_width: 5}}}}",
       "f:1:29: rules.a.checks.text.min_width: unknown key; allowed: enabled, min_length, "
       "text_multiplier, text_shingles, short_text_direct_hash, no_subject"},
      {"one number for two flags", "rules: {a: {flags: {x: {flag: 1}, y: {flag: 1}}}}",
       "f:1:35: rules.a.flags.y: flag 1 is also that of 'x'; allowed: each number once in a rule"},
      {"a standard number", "rules: {a: {flags: {denied: , y: {flag: 11}}}}",
       "f:1:31: rules.a.flags.y: flag 11 is also that of 'denied'; allowed: each number once in a "
       "rule"},
      {"one name in two spellings", "rules: {a: {flags: {x: {flag: 1}, X: {flag: 2}}}}",
       "f:1:35: rules.a.flags.X: the name is also given as 'x'; allowed: each name once, in any "
       "case of letters"},
      {"one name twice", "rules: {a: {flags: {x: {flag: 1}, x: {flag: 2}}}}",
       "f:1:35: rules.a.flags.x: duplicate key; first given in line 1"},
      {"no number", "rules: {a: {flags: {x: {weight: 1}}}}",
       "f:1:21: rules.a.flags.x: has no flag; allowed: flag: 1 to 255"},
      {"no flag of the wire", "rules: {a: {flags: {x: {flag: 256}}}}",
       "f:1:31: rules.a.flags.x.flag: '256' is out of range; allowed: 1 to 255"},
      {"a name that reads as a number", "rules: {a: {flags: {'11': {flag: 1}}}}",
       "f:1:21: rules.a.flags.11: '11' is not a valid name; allowed: a letter, then up to 63 "
       "letters, "
       "digits, '_' or '-'"},
      {"a symbol that would need quotes in a header", "rules: {a: {symbol: 'A B'}}",
       "f:1:21: rules.a.symbol: 'A B' is not a valid symbol; allowed: a letter, then up to 63 "
       "letters, "
       "digits, '_' or '-'"},
      {"a weight that is not finite", "rules: {a: {flags: {x: {flag: 1, weight: .inf}}}}",
       "f:1:42: rules.a.flags.x.weight: '.inf' is not a number; allowed: -1e+09 to 1e+09"},
  };
  expect_problems(kCases);
}

TEST(Problems, ComeAllAtOnceInTheOrderOfTheText) {
  EXPECT_THAT(
      problems_of("storage:\n  expire: 1\n  snyc: 1s\nfoo: 1\nmilter:\n  timeout: x\n"
                  "storage: {}\n",
                  {"milter.drain_time=2", "daemon.usr=x"}),
      ElementsAre(
          "f:2:11: storage.expire: '1' is not a duration; allowed: a number with ms, "
          "s, m, h, d or w, such as 90d or 1h30m, or 0 (never)",
          "f:3:3: storage.snyc: unknown key; did you mean 'sync'?",
          "f:4:1: foo: unknown key; allowed: daemon, milter, mime, ratelimit, "
          "similar, counters, policy, model, history, reports, storage, http, client, rules",
          "f:6:12: milter.timeout: 'x' is not a duration; allowed: a number with ms, "
          "s, m, h, d or w, such as 90d or 1h30m",
          "f:7:1: storage: duplicate key; first given in line 1",
          "-o:1:19: milter.drain_time: '2' is not a duration; allowed: a number with "
          "ms, s, m, h, d or w, such as 90d or 1h30m",
          "-o:2:1: daemon.usr: unknown key; did you mean 'user'?"));
}

TEST(Problems, OfOverrides) {
  const auto of = [](const char* text) { return problems_of("", {text}); };
  const char* form = "-o:1:1: not a valid override; allowed: SECTION.KEY=VALUE";
  EXPECT_THAT(of(""), ElementsAre(form));
  EXPECT_THAT(of("storage.expire"), ElementsAre(form));
  EXPECT_THAT(of("=1"), ElementsAre(form));
  EXPECT_THAT(of(".a=1"), ElementsAre(form));
  EXPECT_THAT(of("a.=1"), ElementsAre(form));
  EXPECT_THAT(of("a..b=1"), ElementsAre(form));
  EXPECT_THAT(of("a.a.a.a.a.a.a.a.a=1"), ElementsAre("-o:1:1: a.a.a.a.a.a.a.a.a: unknown key"));
  EXPECT_THAT(
      of("rules.local.min_length=[32"),
      ElementsAre("-o:1:24: rules.local.min_length: not valid YAML: end of sequence flow not "
                  "found; put a value with special characters in quotes"));
  EXPECT_THAT(of("storage.listen=[::1]:11335"),
              ElementsAre("-o:1:21: storage.listen: a second YAML document; allowed: one; put a "
                          "value with special characters in quotes"));
  EXPECT_THAT(of("storage.listen=*:11335"),
              ElementsAre("-o:1:16: storage.listen: an alias (*name) is not supported; put a text "
                          "that starts with * in quotes"));
  EXPECT_THAT(of("storage.hashfile=\xff"), ElementsAre("-o:1:18: storage.hashfile: not UTF-8"));
}

TEST(Problems, AreBounded) {
  std::string yaml;
  for (int i = 0; i < 100'000; ++i) yaml += "k" + std::to_string(i) + ": 1\n";
  const Loaded loaded = load_settings(yaml, "f");
  EXPECT_EQ(loaded.problems.size(), 200U);
}

TEST(Problems, OfAFileThatCannotBeRead) {
  const Loaded loaded = load_settings_file("/nonexistent/shingled.yaml");
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_EQ(loaded.problems[0].to_string(),
            "/nonexistent/shingled.yaml: cannot be read: No such file or directory");
}

}  // namespace
}  // namespace shingled::config
