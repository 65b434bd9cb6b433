// Covers config/sections/reports.cpp: what is read, and the exact text of each problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/load_settings.h"

namespace shingled::config {
namespace {

using ::testing::ElementsAre;

TEST(Reports, ReadsEveryKey) {
  const Loaded loaded = load_settings(
      "reports: {enabled: no, file: /tmp/r.db, spam: {flag: prob, weight: 3}, ham: {flag: 12, "
      "weight: -2}, ham_also: white, reporters_min: 5, reject_people: 9, residents: all, "
      "newcomers_max: 1, trusted_reporters: [a@x, b], trusted_weight: 4, domain: "
      "example.org, aliases: /etc/aliases, keep: 7d, rate: 5 / 1m, bytes_max: 1M}",
      "f", {});
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.to_string();
  ASSERT_TRUE(loaded.settings);
  const ReportOptions& reports = loaded.settings->reports;
  EXPECT_FALSE(reports.enabled);
  EXPECT_EQ(reports.file, "/tmp/r.db");
  EXPECT_EQ(reports.spam, (ReportEffect{"prob", 3}));
  EXPECT_EQ(reports.ham, (ReportEffect{"12", -2}));
  EXPECT_EQ(reports.ham_also, "white");
  EXPECT_EQ(reports.reporters_min, 5U);
  EXPECT_EQ(reports.reject_people, 9U);
  EXPECT_EQ(reports.residents, Residents::kAll);
  EXPECT_EQ(reports.newcomers_max, 1U);
  EXPECT_EQ(reports.rate.burst, 5);
  EXPECT_DOUBLE_EQ(reports.rate.leak, 5.0 / 60);
  EXPECT_THAT(reports.trusted_reporters, ElementsAre("a@x", "b"));
  EXPECT_EQ(reports.trusted_weight, 4U);
  EXPECT_EQ(reports.domain, "example.org");
  EXPECT_EQ(reports.aliases, "/etc/aliases");
  EXPECT_EQ(reports.keep, std::chrono::hours(7 * 24));
  EXPECT_EQ(reports.bytes_max, 1U << 20U);
}

TEST(Reports, TheRateCanBeOff) {
  const Loaded loaded = load_settings("reports: {rate: off}", "f", {});
  ASSERT_TRUE(loaded.settings);
  EXPECT_FALSE(loaded.settings->reports.rate.limits());
  EXPECT_EQ(Settings{}.reports.rate.burst, 60);
  EXPECT_EQ(Settings{}.reports.residents, Residents::kEarned);
}

TEST(Reports, RefusesWhatMakesNoSense) {
  const auto problems = [](const std::string& entries) {
    std::vector<std::string> out;
    for (const Problem& problem : load_settings("reports:\n" + entries, "f", {}).problems) {
      out.push_back(problem.to_string());
    }
    return out;
  };
  EXPECT_THAT(problems("  spam: {weight: -1}"),
              ElementsAre("f:2:18: reports.spam.weight: '-1' is out of range, or not a whole "
                          "number; allowed: a number from 0 to 1000"));
  EXPECT_THAT(problems("  ham: {weight: 1}"),
              ElementsAre("f:2:17: reports.ham.weight: '1' is out of range, or not a whole "
                          "number; allowed: a number from -1000 to 0"));
  EXPECT_THAT(problems("  file: ''"),
              ElementsAre("f:2:9: reports.file: nothing can be reported without it; allowed: an "
                          "absolute path, or reports.enabled: false"));
  EXPECT_THAT(problems("  trusted_reporters: [" + std::string(257, 'a') + "]"),
              ElementsAre("f:2:23: reports.trusted_reporters[0]: is too long; allowed: names of "
                          "reporters of at most 256 bytes, or [] for none"));
  for (const char* rate : {"0.5 / 1h", "many", "5 / 0s", "1 / 900d", "[5, 1]"})
    EXPECT_EQ(problems(std::string("  rate: ") + rate).size(), 1U) << rate;
  EXPECT_THAT(problems("  rate: many"),
              ElementsAre("f:2:9: reports.rate: 'many' is not such a rate; allowed: a number of "
                          "reports in a time, such as 60 / 1h, from 1 / 10d to 1000 / 1s, or off"));
  EXPECT_THAT(problems("  residents: some"),
              ElementsAre(::testing::HasSubstr("reports.residents: 'some'")));
  EXPECT_THAT(problems("  domain: '@example.org'"),
              ElementsAre("f:2:11: reports.domain: '@example.org' is not a domain; allowed: a "
                          "domain such as example.org, or \"\""));
  EXPECT_THAT(problems("  aliases: virtual"),
              ElementsAre("f:2:12: reports.aliases: 'virtual' is not an absolute path; allowed: "
                          "an absolute path, or \"\" for none"));
}

}  // namespace
}  // namespace shingled::config
