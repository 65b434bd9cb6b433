// Covers config/sections/counters.cpp: the line and the exact text of each problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<std::string> problems_of(const std::string& yaml) {
  std::vector<std::string> out;
  for (const Problem& problem : load_settings(yaml, "f", {}).problems)
    out.push_back(problem.to_string());
  return out;
}

struct Mistake {
  const char* why;
  std::string yaml;  ///< below "counters:"
  std::vector<std::string> says;
};

constexpr const char* kDuration =
    " is not a duration; allowed: a number with ms, s, m, h, d or w, such as 90d or 1h30m";
constexpr const char* kSize =
    " is not a size; allowed: bytes, or a number with K, M, G or T, such as 64K";
constexpr const char* kFolder = "; allowed: the absolute path of a folder";
constexpr const char* kName =
    " is not the name of a server; allowed: a name such as mx.example.org: 1 to 255 letters, "
    "digits, '.', '-' or '_'";
constexpr const char* kOfRedis =
    ": belongs to the section redis; allowed: counters.redis, with counters.servers";
constexpr const char* kMoved = ": has no effect here any more; use http.";

void expect_problems(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    SCOPED_TRACE(mistake.why);
    EXPECT_THAT(problems_of("counters:\n" + mistake.yaml), ElementsAreArray(mistake.says));
  }
}

TEST(CounterMistakes, InTheNamesOfKeys) {
  const std::string at = "f:2:3: counters.";
  expect_problems({
      {"a slip", "  directroy: /a", {at + "directroy: unknown key; did you mean 'directory'?"}},
      {"a slip that names another key",
       "  memory_mx: 1G",
       {at + "memory_mx: unknown key; did you mean 'memory_max'?"}},
      {"a slip in pieces",
       "  pieces: {container: {}}",
       {"f:2:12: counters.pieces.container: unknown key; did you mean 'containers'?"}},
      {"a slip in containers",
       "  pieces: {containers: {entry_max: 3}}",
       {"f:2:25: counters.pieces.containers.entry_max: unknown key; did you mean 'entries_max'?"}},
      {"a slip in redis",
       "  servers: a\n  redis: {passwd: a}",
       {"f:3:11: counters.redis.passwd: unknown key; did you mean 'password'?"}},
      {"a duplicate key",
       "  sync: 1s\n  sync: 2s",
       {"f:3:3: counters.sync: duplicate key; first given in line 2"}},
      {"Redis outside of its section",
       "  cluster: yes\n  db: 1",
       {at + "cluster" + kOfRedis, "f:3:3: counters.db" + std::string(kOfRedis)}},
      {"rspamd's two lists of servers",
       "  read_servers: a",
       {at + "read_servers: has no meaning here, one list serves both; allowed: servers"}},
      {"another time to keep them",
       "  expire: 30d",
       {at + "expire: ten minutes are kept for 24 hours and days for 15 days; allowed: leave it "
             "out"}},
      {"one file",
       "  file: /a.db",
       {at + "file: the counters have several files; allowed: directory"}},
      {"a service of their own",
       "  listen: unix:/s",
       {at + "listen: is a part of one service for everything now; allowed: http.listen, and for "
             "other machines a key of `shingled key add NAME --role count`"}},
      {"none of it",
       "  listen: []",
       {"f:2:3: warning: counters.listen" + std::string(kMoved) + "listen"}},
      {"the rest of it",
       "  keys_file: /k\n  body_bytes_max: 4M\n  connections_max: 64\n  timeout: 10s",
       {"f:2:3: warning: counters.keys_file" + std::string(kMoved) + "keys_file",
        "f:3:3: warning: counters.body_bytes_max" + std::string(kMoved) + "body_bytes_max",
        "f:4:3: warning: counters.connections_max" + std::string(kMoved) + "connections_max",
        "f:5:3: warning: counters.timeout" + std::string(kMoved) + "timeout"}},
      {"no map", "  - directory", {"f:2:3: counters: is a list; allowed: a map of settings"}},
  });
}

TEST(CounterMistakes, InPaths) {
  expect_problems({
      {"a folder that moves with the working directory",
       "  directory: counters",
       {"f:2:14: counters.directory: 'counters' is not an absolute path" + std::string(kFolder)}},
      {"no folder",
       "  directory: ''",
       {"f:2:14: counters.directory: is empty" + std::string(kFolder)}},
      {"a list of folders",
       "  directory: [/a, /b]",
       {"f:2:14: counters.directory: is a list" + std::string(kFolder)}},
      {"a journal nowhere",
       "  journal_directory: journal",
       {"f:2:22: counters.journal_directory: 'journal' is not an absolute path" +
        std::string(kFolder)}},
      {"a key that moves",
       "  key_file: key",
       {"f:2:13: counters.key_file: 'key' is not an absolute path; allowed: an absolute path, or "
        "\"\" for none"}},
  });
}

TEST(CounterMistakes, InNumbers) {
  expect_problems({
      {"a duration without a unit",
       "  sync: 1000",
       {"f:2:9: counters.sync: '1000'" + std::string(kDuration)}},
      {"a disk that never rests",
       "  sync: 9ms",
       {"f:2:9: counters.sync: '9ms' is out of range; allowed: 10ms to 1m"}},
      {"too much to lose",
       "  sync: 61s",
       {"f:2:9: counters.sync: '61s' is out of range; allowed: 10ms to 1m"}},
      {"a negative time",
       "  flush: -1s",
       {"f:2:10: counters.flush: '-1s'" + std::string(kDuration)}},
      {"answers of yesterday",
       "  cache: 1d",
       {"f:2:10: counters.cache: '1d' is out of range; allowed: 0 to 1m"}},
      {"a size with a unit of time",
       "  memory_max: 4s",
       {"f:2:15: counters.memory_max: '4s'" + std::string(kSize)}},
      {"memory for nothing",
       "  memory_max: 15M",
       {"f:2:15: counters.memory_max: '15M' is out of range; allowed: 16M to 1T"}},
      {"a disk that would hold nothing",
       "  disk_max: 1M",
       {"f:2:13: counters.disk_max: '1M' is out of range; allowed: 64M to 1024T"}},
      {"a disk nobody has",
       "  disk_max: 1025T",
       {"f:2:13: counters.disk_max: '1025T' is out of range; allowed: 64M to 1024T"}},
      {"more than 64 bits",
       "  cache_max: 99999999999999999999",
       {"f:2:14: counters.cache_max: '99999999999999999999'" + std::string(kSize)}},
      {"a negative size",
       "  journal_max: -1",
       {"f:2:16: counters.journal_max: '-1'" + std::string(kSize)}},
      {"a fraction",
       "  names_mass: 1.5",
       {"f:2:15: counters.names_mass: '1.5' is not a whole number; allowed: 1 to 1000000"}},
      {"few names",
       "  names_max: 999",
       {"f:2:14: counters.names_max: '999' is out of range; allowed: 1000 to 100000000"}},
  });
}

TEST(CounterMistakes, InScoresAndChoices) {
  const std::string score = "; allowed: a number such as 4.5";
  expect_problems({
      {"neither yes nor no",
       "  enabled: maybe",
       {"f:2:12: counters.enabled: 'maybe' is neither yes nor no; allowed: true, false, yes, no, "
        "on, off"}},
      {"texts where a switch is",
       "  names: [subject]",
       {"f:2:10: counters.names: is a list; allowed: true, false, yes, no, on, off"}},
      {"a judge we do not have",
       "  judge: model",
       {"f:2:10: counters.judge: 'model' is not one of the choices; allowed: without_counters, "
        "final"}},
      {"no number",
       "  ham_below: .nan",
       {"f:2:14: counters.ham_below: '.nan' is not a number" + score}},
      {"more than a double",
       "  ham_below: 1e999",
       {"f:2:14: counters.ham_below: '1e999' is not a number" + score}},
      {"a word",
       "  spam_from: reject",
       {"f:2:14: counters.spam_from: 'reject' is not a number" + score +
        ", or null for the score of milter.actions.add_header"}},
      {"ham above spam",
       "  ham_below: 5\n  spam_from: 3",
       {"f:3:14: counters.spam_from: is below counters.ham_below, 5, so a message between them "
        "would be ham and spam; allowed: at least that, or another ham_below"}},
      {"spam below the default of ham",
       "  spam_from: 0.5",
       {"f:2:14: counters.spam_from: is below counters.ham_below, 1, so a message between them "
        "would be ham and spam; allowed: at least that, or another ham_below"}},
      {"ham above the score of the header",
       "  ham_below: 4.5",
       {"f:2:14: counters.ham_below: is above the score of section milter.actions from which a "
        "message is spam, 4, so a message between them would be ham and spam; allowed: at most "
        "that, or with a setting of counters.spam_from"}},
  });
}

TEST(CounterMistakes, InNamesAndAddresses) {
  expect_problems({
      {"a name with an unknown character",
       "  authserv_ids: [mx.example.org, 'mx@example.org']",
       {"f:2:34: counters.authserv_ids[1]: 'mx@example.org'" + std::string(kName)}},
      {"a name with control bytes",
       "  authserv_ids: [\"a\\x01\"]",
       {"f:2:18: counters.authserv_ids[0]: 'a\\x01'" + std::string(kName)}},
      {"how to talk to nobody",
       "  redis: {db: 3}",
       {"f:2:10: counters.redis: no server is named, so this daemon would count alone; allowed: "
        "with a setting of counters.servers, or leave it out"}},
      {"the same with servers that are commented out",
       "  servers: []\n  redis: {password: x}",
       {"f:3:10: counters.redis: no server is named, so this daemon would count alone; allowed: "
        "with a setting of counters.servers, or leave it out"}},
      {"a server without a name is one problem",
       "  servers: ':6379'\n  redis: {db: 3}",
       {"f:2:12: counters.servers: has no host name; allowed: HOST:PORT, [IPV6]:PORT, "
        "unix:/PATH"}},
      {"a cluster has no other database",
       "  servers: a\n  redis: {cluster: yes, db: 1}",
       {"f:3:29: counters.redis.db: a cluster has one database only; allowed: 0, or cluster: "
        "false"}},
      {"a user without a password",
       "  servers: a\n  redis: {username: u}",
       {"f:3:21: counters.redis.username: needs a password; allowed: with a setting of password"}},
      {"a prefix that would choose the slot",
       "  servers: a\n  redis: {prefix: '{a}'}",
       {"f:3:19: counters.redis.prefix: '{a}' is not a valid prefix; allowed: 1 to 64 visible "
        "ASCII characters other than { and }"}},
  });
}

TEST(CounterMistakes, InManyNames) {
  std::string names = "counters:\n  authserv_ids: [";
  for (int i = 0; i <= 100; ++i) names += "mx" + std::to_string(i) + ", ";
  EXPECT_THAT(problems_of(names + "]"),
              ElementsAre(::testing::HasSubstr(
                  "counters.authserv_ids[100]: exceeds the limit; allowed: at most 100")));
  EXPECT_THAT(problems_of("counters: {authserv_ids: " + std::string(256, 'a') + "}"),
              ElementsAre(::testing::HasSubstr("is not the name of a server")));
}

}  // namespace
}  // namespace shingled::config
