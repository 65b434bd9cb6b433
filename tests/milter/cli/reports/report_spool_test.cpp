// The rest of the folder is tested in
// tests/e2e/test_reports.py.
#include "milter/cli/reports/report_spool.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/memory_files.h"
#include "tests/support/temporary_directory.h"

namespace shingled::milter::cli {
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
  auto done = spool.flush(100, send);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->sent, 1U);
  EXPECT_EQ(done->waiting, 2U);
  EXPECT_EQ(done->why_waiting.error().message, "away");
  away = false;
  done = spool.flush(1, send);
  ASSERT_TRUE(done);
  EXPECT_EQ(done->waiting, 1U);
  done = spool.flush(100, send);
  EXPECT_TRUE(done->why_waiting);
  EXPECT_EQ(seen, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_TRUE(*spool.empty());
}

TEST(ReportSpool, PutsAsideWhatIsRefused) {
  MemoryFiles files;
  ReportSpool spool(files, 7);
  ASSERT_TRUE(spool.keep({true, "a", "no mail"}, 5));
  ASSERT_TRUE(files.create("0.report"));  // not one of ours
  const auto done = spool.flush(100, [](const SentReport&) -> Result<Json> {
    return Error{ErrorCode::kInvalid, "no message"};
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(done->refused, 2U);
  EXPECT_TRUE(*spool.empty());
  EXPECT_TRUE(files.has("0.refused"));
}

TEST(ReportSpool, PutsAsideWhatIsNotAReport) {
  const shingled::testing::TemporaryDirectory folder;
  const auto files = folder_files(folder.path());
  ReportSpool spool(*files, 7);
  ASSERT_TRUE(spool.keep({true, "ann", "mail"}, 5));
  ASSERT_EQ(::mkfifo(folder.file("0.report").c_str(), 0666), 0);
  ASSERT_EQ(::symlink("/etc/hostname", folder.file("1.report").c_str()), 0);
  ASSERT_TRUE(files->create("2.report"));
  ASSERT_EQ(::truncate(folder.file("2.report").c_str(), off_t{1} << 40), 0) << "without blocks";
  const auto done =
      spool.flush(100, [](const SentReport&) -> Result<Json> { return Json::object(); });
  ASSERT_TRUE(done);
  EXPECT_EQ(done->sent, 1U);
  EXPECT_EQ(done->refused, 3U);
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
  const auto done = spool.flush(100, [&](const SentReport& report) -> Result<Json> {
    seen.push_back(report.message);
    return Json::object();
  });
  ASSERT_TRUE(done);
  EXPECT_EQ(seen, std::vector<std::string>{"his"});
  EXPECT_EQ(done->sent, 1U);
  EXPECT_EQ(done->waiting, 1U);
  EXPECT_EQ(done->why_waiting.error().code, ErrorCode::kDenied);
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

TEST(ReportClient, EncodesNames) {
  EXPECT_EQ(percent_encoded("ann@x.org"), "ann%40x%2Eorg");
  EXPECT_EQ(percent_encoded("\xc3\xbc &"), "%C3%BC%20%26");
}

}  // namespace
}  // namespace shingled::milter::cli
