#include "milter/process/file_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace shingled::milter::process {
namespace {

TEST(FileBudget, GivesTcpTheDescriptorsThatOthersDoNotNeed) {
  Settings settings;
  settings.milter.enabled = true;
  settings.http.connections_max = 64;
  ASSERT_EQ(settings.http.listen.size(), 1U);
  FileBudget budget = FileBudget::of(settings);
  EXPECT_EQ(budget.reserve, FileBudget::kForFiles + FileBudget::kForMail + 64);
  struct Case {
    const char* why;
    std::uint64_t limit;
    std::uint32_t wanted;
    std::uint32_t given;
  };
  const Case cases[] = {
      {"there is enough for all", 16'384, 4096, 4096},
      {"the usual limit of a shell", 1024, 4096, static_cast<std::uint32_t>(1024 - budget.reserve)},
      {"0 connections stay 0", 1024, 0, 0},
      {"fewer descriptors than the others need", 256, 4096, FileBudget::kTcpMin},
      {"fewer connections are wanted than the minimum", 256, 3, 3},
      {"the limit is not known", 0, 4096, FileBudget::kTcpMin},
  };
  for (const Case& one : cases) {
    budget.limit = one.limit;
    EXPECT_EQ(budget.connections(one.wanted), one.given) << one.why;
  }
}

TEST(FileLimit, IsRaisedUpToTheHardLimitAndNeverLowered) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_GE(before.rlim_max, 300U);
  rlimit low = before;
  low.rlim_cur = 256;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_file_limit(300), 300U);
  EXPECT_EQ(raise_file_limit(100), 300U);
  if (before.rlim_max != RLIM_INFINITY) {
    EXPECT_EQ(raise_file_limit(std::uint64_t{before.rlim_max} + 1), before.rlim_max);
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace shingled::milter::process
