#include "config/base/fair_shared_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace shingled {
namespace {

TEST(FairSharedMutex, IsHeldByManyReadersOrByOneWriter) {
  FairSharedMutex mutex;
  int value = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 1000; ++j) {
          const std::unique_lock alone(mutex);
          ++value;
        }
      });
      threads.emplace_back([&] {
        for (int j = 0; j < 1000; ++j) {
          const std::shared_lock together(mutex);
          EXPECT_LE(value, 2000);
        }
      });
    }
  }
  const std::shared_lock first(mutex);
  std::jthread([&] {
    const std::shared_lock second(mutex);  // beside the first
    EXPECT_EQ(value, 2000);
  }).join();
}

// Readers that take turns may never leave it free. A writer gets it all the same.
TEST(FairSharedMutex, AWriterIsNotKeptOutByReadersThatKeepComing) {
  FairSharedMutex mutex;
  std::atomic<bool> written{false};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!written) {
        const std::shared_lock together(mutex);
      }
    });
  }
  {
    const std::unique_lock alone(mutex);
    written = true;
  }
  readers.clear();
  EXPECT_TRUE(written);
}

}  // namespace
}  // namespace shingled
