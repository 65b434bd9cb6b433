#include "milter/peers/report_spool.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/support/memory_files.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::peers {
namespace {

using testing::MemoryFiles;

TEST(ReportSpool, WritesWhatItReads) {
  for (const SentReport& report :
       {SentReport{true, "ann@example.org", "A: 1\r\n\r\nx\r\n"}, SentReport{false, "\"\\ü", ""},
        SentReport{true, "a", std::string("A: 1\n\n\0\n", 8)}}) {
    const auto read = parse_spooled(spooled_text(report));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->spam, report.spam);
    EXPECT_EQ(read->reporter, report.reporter);
    EXPECT_EQ(read->message, report.message);
  }
  for (const char* text : {"", "x", "{}\n", "{\"kind\":1,\"reporter\":\"a\"}\n", "[]\n",
                           "{\"kind\":\"x\",\"reporter\":\"a\"}\n"}) {
    EXPECT_FALSE(parse_spooled(text)) << text;
  }
}

TEST(ReportSpool, DeliversInOrderUntilOneHasToWait) {
  MemoryFiles files;
  ReportSpool spool(files, 7);
  for (const char* text : {"one", "two", "three"}) ASSERT_TRUE(spool.keep({true, "a", text}, 5));
  std::vector<std::string> seen;
  bool away = true;
  const auto send = [&](const SentReport& report) -> Result<Json> {
    if (away && report.message == "two") return Error{ErrorCode::kUnavailable, "away"};
    seen.push_back(report.message);
    return Json::object();
  };
  auto done = spool.flush(5, 100, send);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->sent, 1U);
  EXPECT_EQ(done->waiting, 2U);
  EXPECT_EQ(done->why_waiting.error().message, "away");
  away = false;
  done = spool.flush(5, 1, send);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->waiting, 1U);
  done = spool.flush(5, 100, send);
  EXPECT_TRUE(done->why_waiting);
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_TRUE(*spool.empty());
}

TEST(ReportSpool, PutsAsideWhatIsRefused) {
  MemoryFiles files;
  ReportSpool spool(files, 7);
  ASSERT_TRUE(spool.keep({true, "a", "no mail"}, 5));
  ASSERT_TRUE(files.create("0.report"));  // not one of ours
  const auto done = spool.flush(5, 100, [](const SentReport&) -> Result<Json> {
    return Error{ErrorCode::kInvalid, "no message"};
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(done->refused, 2U);
  EXPECT_TRUE(*spool.empty());
  EXPECT_TRUE(files.has("0000000000000005-7-000001.refused"));
  ASSERT_EQ(done->put_aside.size(), 2U);
  EXPECT_EQ(
      done->put_aside[0],
      "0.report: put aside as 0000000000000005-7-000001.refused: not a report of this program");
}

TEST(ReportSpool, PutsAsideWhatIsNotAReport) {
  const shingled::testing::TemporaryDirectory folder;
  const auto files = folder_files(folder.path());
  ReportSpool spool(*files, 7);
  ASSERT_TRUE(spool.keep({true, "ann", "mail"}, 5));
  ASSERT_EQ(::mkfifo(folder.file("0.report").c_str(), 0666), 0);
  ASSERT_EQ(::mkdir(folder.file("3.report").c_str(), 0755), 0);
  ASSERT_EQ(::mkdir(folder.file("3.refused").c_str(), 0755), 0);
  ASSERT_EQ(::mkdir(folder.file("3.refused/x").c_str(), 0755), 0);
  ASSERT_TRUE(files->create(std::string(248, 'x') + ".report")) << "no longer name is possible";
  ASSERT_EQ(::mknod(folder.file("4.report").c_str(), S_IFSOCK | 0600, 0), 0);
  ASSERT_EQ(::symlink("/etc/hostname", folder.file("1.report").c_str()), 0);
  ASSERT_TRUE(files->create("2.report"));
  ASSERT_EQ(::truncate(folder.file("2.report").c_str(), off_t{1} << 40), 0) << "without blocks";
  const auto done =
      spool.flush(5, 100, [](const SentReport&) -> Result<Json> { return Json::object(); });
  ASSERT_TRUE(done);
  EXPECT_EQ(done->sent, 1U);
  EXPECT_EQ(done->refused, 6U);
  EXPECT_EQ(done->waiting, 0U);
}

TEST(ReportSpool, LeavesTheFilesOfOthers) {
  MemoryFiles files;
  ReportSpool others(files, 1);
  ASSERT_TRUE(others.keep({true, "ann", "hers"}, 5));
  files.deny("0000000000000005-1-000000.report");
  ReportSpool spool(files, 7);
  ASSERT_TRUE(spool.keep({true, "bob", "his"}, 6));
  std::vector<std::string> seen;
  const auto done = spool.flush(5, 100, [&](const SentReport& report) -> Result<Json> {
    seen.push_back(report.message);
    return Json::object();
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(seen, std::vector<std::string>{"his"});
  EXPECT_EQ(done->sent, 1U);
  EXPECT_EQ(done->waiting, 1U);
  EXPECT_EQ(done->why_waiting.error().code, ErrorCode::kDenied);
}

TEST(ReportSpool, OneThatTheDaemonNeverTakesHoldsNobodyElseBack) {
  MemoryFiles files;
  ReportSpool spool(files, 7);
  constexpr std::uint64_t kDay = 86'400'000'000;
  ASSERT_TRUE(spool.keep({true, "ann", "poison"}, kDay));
  ASSERT_TRUE(spool.keep({false, "ann", "her next one"}, kDay + 1));
  ASSERT_TRUE(spool.keep({true, "bob", "his"}, kDay + 2));
  std::vector<std::string> seen;
  const auto send = [&](const SentReport& report) -> Result<Json> {
    if (report.message == "poison") return Error{ErrorCode::kUnavailable, "HTTP status 500"};
    seen.push_back(report.message);
    return Json::object();
  };
  auto done = spool.flush(kDay + 3, 100, send);
  ASSERT_TRUE(done);
  EXPECT_EQ(seen, std::vector<std::string>{"his"}) << "hers has to wait for the one before it";
  EXPECT_EQ(done->waiting, 2U);
  EXPECT_EQ(done->why_waiting.error().message, "HTTP status 500");
  ASSERT_TRUE(spool.keep({true, "bob", "another"}, 3 * kDay));
  done = spool.flush(3 * kDay, 100, send);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->refused, 1U) << "a day later, as others are taken";
  ASSERT_EQ(done->put_aside.size(), 1U);
  done = spool.flush(3 * kDay, 100, send);
  EXPECT_EQ(done->waiting, 0U);
  EXPECT_EQ(seen, (std::vector<std::string>{"his", "another", "her next one"}));
}

TEST(ReportSpool, ADaemonThatIsAwayIsNotAskedForEachAndNothingIsPutAside) {
  MemoryFiles files;
  ReportSpool spool(files, 7);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(spool.keep({true, std::to_string(i), "mail"}, 5));
  std::size_t calls = 0;
  const auto done =
      spool.flush(900'000'000'000, 100, [&](const SentReport& /*report*/) -> Result<Json> {
        ++calls;
        return Error{ErrorCode::kUnavailable, "away"};
      });
  ASSERT_TRUE(done);
  EXPECT_EQ(calls, ReportSpool::kFailuresMax);
  EXPECT_EQ(done->waiting, 50U);
  EXPECT_EQ(done->refused, 0U);
}

TEST(ReportSpool, APersonsLaterReportWaitsForTheProcessThatHasTheEarlierOne) {
  MemoryFiles files;
  ReportSpool spool(files, 7);
  ASSERT_TRUE(spool.keep({true, "ann", "mail"}, 5));
  ASSERT_TRUE(spool.keep({false, "ann", "mail"}, 6));
  ASSERT_TRUE(spool.keep({true, "bob", "mail"}, 7));
  files.set_held("0000000000000005-7-000000.report", true);
  std::vector<std::string> seen;
  const auto send = [&](const SentReport& report) -> Result<Json> {
    seen.push_back(report.reporter + (report.spam ? " spam" : " ham"));
    return Json::object();
  };
  auto done = spool.flush(8, 100, send);
  ASSERT_TRUE(done);
  EXPECT_EQ(seen, std::vector<std::string>{"bob spam"});
  EXPECT_EQ(done->waiting, 2U);
  files.set_held("0000000000000005-7-000000.report", false);
  ASSERT_TRUE(spool.flush(8, 100, send));
  EXPECT_EQ(seen, (std::vector<std::string>{"bob spam", "ann spam", "ann ham"}));
}

TEST(ReportSpool, KeepsWhatWasRefusedForAMonthAndNotTooMuch) {
  MemoryFiles files;
  ReportSpool spool(files, 7);
  constexpr std::uint64_t kNow = 1'700'000'000'000'000;
  ASSERT_TRUE(files.create("1690000000000000-3-000000.refused"));
  ASSERT_TRUE(files.create("1699999999000000-4-000000.refused"));
  spool.remove_refused(kNow);
  EXPECT_EQ(files.names()->size(), 1U);
  for (std::size_t i = 0; i < ReportSpool::kRefusedMax; ++i)
    ASSERT_TRUE(files.create("16999999995" + std::to_string(10'000 + i) + "-4-000000.refused"));
  spool.remove_refused(kNow);
  EXPECT_EQ(files.names()->size(), ReportSpool::kRefusedMax);
  EXPECT_FALSE(files.has("1699999999000000-4-000000.refused")) << "the oldest goes first";
}

TEST(ReportSpool, RemovesWhatACrashLeft) {
  MemoryFiles files;
  ReportSpool spool(files, 7);
  constexpr std::uint64_t kNow = 1'700'000'000'000'000;
  ASSERT_TRUE(files.create("1699990000000000-3-000000.tmp"));
  ASSERT_TRUE(files.create("1699999999000000-4-000000.tmp"));
  ASSERT_TRUE(files.create("notes.tmp"));
  ASSERT_TRUE(spool.keep({true, "a", "mail"}, 5));
  spool.remove_halves(kNow);
  EXPECT_FALSE(files.has("1699990000000000-3-000000.tmp"));
  EXPECT_TRUE(files.has("1699999999000000-4-000000.tmp")) << "its process may still run";
  EXPECT_TRUE(files.has("notes.tmp")) << "not one of ours";
  EXPECT_FALSE(*spool.empty());
}

TEST(ReportSpool, WhatIsKeptSurvivesAPowerFailure) {
  for (std::uint64_t writes = 0; writes < 6; ++writes) {
    MemoryFiles files;
    ReportSpool spool(files, 7);
    files.fail_at(writes);
    const Status kept = spool.keep({true, "a", "mail"}, 5);
    files.repair();
    files.cut_power();
    const auto empty = spool.empty();
    ASSERT_TRUE(empty);
    if (kept) {
      EXPECT_FALSE(*empty) << writes;
    }
  }
}

}  // namespace
}  // namespace shingled::milter::peers
