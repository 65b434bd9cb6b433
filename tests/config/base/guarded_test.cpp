#include "config/base/guarded.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <thread>
#include <vector>

namespace shingled {

namespace {

TEST(Guarded, LosesNoUpdateOfAnyThread) {
  Guarded<int> count;
  constexpr int kThreads = 4;
  constexpr int kTimes = 10'000;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < kTimes; ++j) ++*count.lock();
      });
    }
  }
  EXPECT_EQ(*count.lock(), kThreads * kTimes);
}

TEST(Guarded, MakesItsDataInPlace) {
  Guarded<std::vector<int>> table(std::in_place, 3U, 7);
  EXPECT_EQ(table.lock()->size(), 3U);
  EXPECT_EQ(table.lock()->front(), 7);
}

TEST(Guarded, IsNotWaitedForByATry) {
  Guarded<int> count;
  {
    const auto held = count.lock();
    EXPECT_FALSE(
        std::async(std::launch::async, [&] { return count.try_lock().has_value(); }).get());
  }
  auto free = count.try_lock();
  ASSERT_TRUE(free);
  **free = 3;
  free.reset();
  EXPECT_EQ(*count.lock(), 3);
}

TEST(Guarded, WaitsForACondition) {
  Guarded<int> count;
  std::condition_variable changed;
  std::jthread counts([&] {
    *count.lock() = 1;
    changed.notify_one();
  });
  auto held = count.lock();
  changed.wait(held.as_lock(), [&] { return *held == 1; });
  EXPECT_EQ(*held, 1);
}

/// As a member's annotation is used.
class Door {
 public:
  void open() {
    const MutexLock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    MutexLock lock(mutex_);
    changed_.wait(lock.as_lock(), [this]() SHINGLED_REQUIRES(mutex_) { return open_; });
    lock.unlock();
    lock.lock();
    ++passed_;
  }
  [[nodiscard]] int passed_if_free() {
    if (!mutex_.try_lock()) return -1;
    const MutexLock lock(mutex_, std::adopt_lock);
    return passed_;
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  bool open_ SHINGLED_GUARDED_BY(mutex_) = false;
  int passed_ SHINGLED_GUARDED_BY(mutex_) = 0;
};

TEST(Mutex, GuardsTheMembersThatNameIt) {
  Door door;
  {
    std::jthread first([&] { door.pass(); });
    std::jthread second([&] { door.pass(); });
    door.open();
  }
  EXPECT_EQ(door.passed_if_free(), 2);
}

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
