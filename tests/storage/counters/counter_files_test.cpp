#include "storage/counters/counter_files.h"

#include <gtest/gtest.h>

namespace shingled::storage::counters {
namespace {

TEST(CounterFiles, AreKnownByTheirNames) {
  EXPECT_EQ(sealed_name(17), "17.counts");
  EXPECT_EQ(log_name(17), "17.log");
  EXPECT_EQ(log_number("17.log"), 17U);
  for (const char* other : {"17.counts", ".log", "x.log", "17.log.tmp", "-1.log", "017.log", "17"})
    EXPECT_EQ(log_number(other), std::nullopt) << other;
  for (const char* ours : {"17.counts", "17.log", "17.counts.tmp", "17.log.tmp"})
    EXPECT_TRUE(is_counter_file(ours)) << ours;
  for (const char* other :
       {"", "counters.db", "a.counts", "17.counts.bak", "17.tmp", "017.counts", ".tmp"})
    EXPECT_FALSE(is_counter_file(other)) << other;
}

}  // namespace
}  // namespace shingled::storage::counters
