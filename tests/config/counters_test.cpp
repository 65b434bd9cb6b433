// Covers config/sections/counters.cpp: what is read; counter_mistakes_test.cpp has what is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Settings settings_of(const std::string& yaml) {
  const Loaded loaded = load_settings(yaml, "f", {});
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  return loaded.settings ? *loaded.settings : Settings{};
}

CounterOptions counters_of(const std::string& entries) {
  return settings_of("counters: {" + entries + "}").counters;
}

std::vector<std::string> problems_of(const std::string& yaml) {
  std::vector<std::string> out;
  for (const Problem& problem : load_settings(yaml, "f", {}).problems)
    out.push_back(problem.to_string());
  return out;
}

TEST(Counters, ReadsWhatIsCountedHere) {
  const CounterOptions counters = counters_of(
      "enabled: no, directory: /srv/c, key_file: /etc/k, geoip: /g.mmdb, sync: 50ms, memory_max: "
      "16M, "
      "disk_max: 1024T, cache_max: 0, judge: Final, ham_below: -0.5, spam_from: 6.25, names: yes, "
      "names_mass: 3, names_max: 2000, authserv_ids: 'mx.example.org, MX2'");
  EXPECT_FALSE(counters.enabled);
  EXPECT_EQ(counters.embedded.directory, "/srv/c");
  EXPECT_EQ(counters.key_path(), "/etc/k");
  EXPECT_EQ(counters.embedded.sync, milliseconds(50));
  EXPECT_EQ(counters.embedded.memory_max, 16U << 20);
  EXPECT_EQ(counters.embedded.disk_max, std::uint64_t{1} << 50);
  EXPECT_EQ(counters.embedded.cache_max, 0U);
  EXPECT_EQ(counters.judge, CounterJudge::kFinal);
  EXPECT_EQ(counters.ham_below, -0.5);
  EXPECT_EQ(counters.spam_from, 6.25);
  EXPECT_TRUE(counters.names);
  EXPECT_EQ(counters.names_mass, 3U);
  EXPECT_EQ(counters.names_max, 2000U);
  EXPECT_EQ(counters.geoip, "/g.mmdb");
  EXPECT_THAT(counters.pieces.authserv_ids, ElementsAre("mx.example.org", "MX2"));
}

TEST(Counters, ReadsTheLimitsOfContainers) {
  const PieceOptions pieces =
      counters_of(
          "pieces: {containers: {open: no, depth_max: 1, entries_max: 11, unpacked_max: 1M, "
          "ratio_max: 12, time_max: 1s}}")
          .pieces;
  EXPECT_EQ(pieces, (PieceOptions{.containers = {.open = false,
                                                 .depth_max = 1,
                                                 .entries_max = 11,
                                                 .unpacked_max = 1U << 20,
                                                 .ratio_max = 12,
                                                 .time_max = std::chrono::seconds(1)}}));
}

TEST(Counters, WarnOfLimitsThatAreNoOptionsAnyMore) {
  EXPECT_THAT(problems_of("counters:\n  pieces: {links_max: 3, piece_bytes_max: 64K}\n"),
              ElementsAre("f:2:12: warning: counters.pieces.links_max: is no longer an option: it "
                          "is always 50",
                          "f:2:26: warning: counters.pieces.piece_bytes_max: is no longer an "
                          "option: it is always 1K"));
  const Loaded loaded = load_settings("counters: {pieces: {links_max: 3}}", "f", {});
  ASSERT_NE(loaded.settings, nullptr);
  EXPECT_EQ(loaded.settings->counters.pieces, PieceOptions{});
}

TEST(Counters, ReadsWhatIsShared) {
  EXPECT_FALSE(counters_of("flush: 2s, cache: 0, journal_max: 0").shared.enabled());
  const SharedCounterOptions shared =
      counters_of(
          "servers: 'redis.example, unix:/r.sock', redis: {cluster: yes, wait_replicas: 1, "
          "username: u, password: p, prefix: c, timeout: 1s}, flush: 10ms, cache: 1m, "
          "journal_max: 1T, journal_directory: /srv/j")
          .shared;
  ASSERT_EQ(shared.redis.servers.size(), 2U);
  EXPECT_EQ(shared.redis.servers[0].port, 6379);
  EXPECT_TRUE(shared.redis.cluster);
  EXPECT_EQ(shared.redis.wait_replicas, 1U);
  EXPECT_EQ(shared.redis.password, "p");
  EXPECT_EQ(shared.redis.prefix, "c");
  EXPECT_EQ(shared.redis.timeout, milliseconds(1000));
  EXPECT_EQ(shared.flush, milliseconds(10));
  EXPECT_EQ(shared.cache, milliseconds(60'000));
  EXPECT_EQ(shared.journal_max, std::uint64_t{1} << 40);
  EXPECT_EQ(shared.journal_directory, "/srv/j");
}

TEST(Counters, TheJournalIsInTheFolderOfTheCountersUnlessSaidOtherwise) {
  EXPECT_EQ(counters_of("directory: /srv/c").shared.journal_directory, "/srv/c");
  EXPECT_EQ(counters_of("directory: /srv/c, journal_directory: /srv/j").shared.journal_directory,
            "/srv/j");
  EXPECT_EQ(counters_of("enabled: yes").shared.journal_directory,
            SharedCounterOptions().journal_directory);
}

TEST(Counters, TakeTheScoreOfSpamFromTheActions) {
  struct Case {
    const char* why;
    const char* yaml;
    std::optional<double> score;
  };
  constexpr Case kCases[] = {
      {"the score of the header", "", 4},
      {"its own", "counters: {spam_from: 7}", 7},
      {"null is as if it were not there", "counters: {spam_from: null}", 4},
      {"without the header the least of the others",
       "milter: {actions: {add_header: off, reject: 12, tempfail: 9}}", 9},
      {"nothing is ever spam", "milter: {actions: {add_header: off, reject: off}}", std::nullopt},
  };
  for (const Case& test : kCases) {
    const Settings settings = settings_of(test.yaml);
    EXPECT_EQ(settings.counters.spam_score(settings.milter.actions), test.score) << test.why;
  }
}

TEST(Counters, LeaveSettingsAloneThatDoNotMentionThem) {
  // The default of ham_below is above this score, and that is nobody's mistake.
  EXPECT_THAT(problems_of("milter: {actions: {add_header: 0.5}}"), IsEmpty());
  EXPECT_THAT(problems_of("counters: {enabled: no, ham_below: 9}"), IsEmpty())
      << "what is off contradicts nothing";
}

}  // namespace
}  // namespace shingled::config
