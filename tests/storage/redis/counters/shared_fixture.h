#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "storage/redis/counters/shared_counters.h"
#include "tests/storage/counters/embedded/counter_oracle.h"
#include "tests/storage/redis/route/redis_process.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::redis {

using counters::Addition;
using counters::Amounts;
using counters::CounterAnswers;
using counters::CounterKey;
using counters::CounterOracle;
using counters::Direction;
using counters::Measure;
using counters::Pair;
using counters::Period;
using counters::Slot;
using counters::Window;

/// Time passes as it does, but a test moves the time of day.
class MovedClock final : public Clock {
 public:
  static constexpr std::int64_t kBegin = 1'700'000'000;  ///< Unix seconds

  [[nodiscard]] TimePoint now() const override { return real_.now(); }
  [[nodiscard]] WallTime wall() const override {
    return WallTime(std::chrono::seconds(kBegin + moved_.load()));
  }
  void move(std::chrono::seconds by) { moved_ += by.count(); }

 private:
  SystemClock real_;
  std::atomic<std::int64_t> moved_{0};
};

class EventLogger final : public Logger {
 public:
  void write(LogLevel /*level*/, std::string_view line) override {
    lines_.lock()->emplace_back(line.substr(0, line.find(' ')));
  }
  [[nodiscard]] bool enabled(LogLevel /*level*/) const override { return true; }
  [[nodiscard]] std::vector<std::string> events() { return *lines_.lock(); }

 private:
  Guarded<std::vector<std::string>> lines_;
};

inline const std::vector<Window> kWindows = {
    {Period::Unit::kSlot, 1, 0}, {Period::Unit::kSlot, 6, 0}, {Period::Unit::kSlot, 144, 0},
    {Period::Unit::kDay, 1, 0},  {Period::Unit::kDay, 14, 0}, {Period::Unit::kDay, 3, 1},
    {Period::Unit::kDay, 14, 1}};
inline const CounterKeyBytes kSite{};

inline Amounts message(std::uint64_t bytes = 1000) {
  Amounts amounts;
  amounts.of(Measure::kMass) = 1;
  amounts.of(Measure::kRecipients) = 2;
  amounts.of(Measure::kBytes) = bytes;
  return amounts;
}
inline CounterKey key_of(const std::string& piece, PieceType type = PieceType::kLinkHost) {
  return counter_of(kSite, Direction::kIn, type, piece);
}
inline Pair pair_of(const std::string& first, const std::string& second) {
  return counters::pair_of(kSite, Direction::kIn, PieceType::kSenderRecipient, first, second);
}

/// Random calls over a few pieces and pairs.
class RandomCalls {
 public:
  explicit RandomCalls(unsigned seed) : random_(seed) {}

  Addition next() {
    Addition addition;
    for (unsigned i = below(5); i > 0; --i)
      addition.counters.push_back(key_of("host" + std::to_string(below(30))));
    for (unsigned i = below(4); i > 0; --i)
      addition.pairs.push_back(
          pair_of("from" + std::to_string(below(4)), "to" + std::to_string(below(6))));
    addition.amounts = message(below(5000));
    if (below(4) == 0) addition.amounts.of(Measure::kSpam) = 1;
    if (below(6) == 0) {
      addition.amounts = {};
      addition.amounts.of(Measure::kComplaint) = 1;
    }
    return addition;
  }
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }

 private:
  std::mt19937_64 random_;
};

class SharedCountersTest : public ::testing::Test {
 protected:
  using Store = std::unique_ptr<SharedCounters>;

  void SetUp() override {
    SHINGLED_NEED_REDIS();
    ASSERT_TRUE(redis_.start());
    options_.redis.servers = {redis_.address()};
    options_.redis.timeout = std::chrono::seconds(20);  // a sanitizer build on a busy machine
    options_.cache = std::chrono::milliseconds(0);
    options_.flush = std::chrono::seconds(60);  // tests say when
  }
  /// A daemon with a journal in the folder `number`.
  Store open(int number = 0) {
    SharedCounterOptions options = options_;
    options.journal_directory = folder_.file(("journal" + std::to_string(number)).c_str());
    auto opened = SharedCounters::open(options, clock_, random_, logger_);
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? *std::move(opened) : nullptr;
  }
  /// Time goes by for these daemons. They would doubt a leap (counters::Timekeeper).
  void pass(std::chrono::seconds time, std::span<const Store> stores) {
    for (std::chrono::seconds step; time > std::chrono::seconds(0); time -= step) {
      step = std::min<std::chrono::seconds>(time, std::chrono::hours(1));
      clock_.move(step);
      for (const Store& store : stores) static_cast<void>(store->present_slot());
    }
  }
  [[nodiscard]] TimePoint soon() const { return clock_.now() + std::chrono::seconds(60); }
  void add(SharedCounters& store, const Addition& addition) {
    const Slot slot = store.present_slot();
    const Status added = store.add(addition, soon());
    ASSERT_TRUE(added) << added.error().message;
    oracle_.add(addition, slot);
  }
  void deliver(SharedCounters& store) {
    const Status sent = store.deliver(soon());
    ASSERT_TRUE(sent) << sent.error().message;
  }
  Amounts sum(SharedCounters& store, const CounterKey& key, const Window& window) {
    const CounterAnswers answers = store.ask({&key, 1}, {&window, 1}, soon());
    EXPECT_TRUE(answers.known[0]);
    return answers.of(0, 0);
  }
  std::uint64_t mass(SharedCounters& store, const CounterKey& key) {
    return sum(store, key, {Period::Unit::kDay, 14, 0}).of(Measure::kMass);
  }
  void expect_oracle(SharedCounters& store) {
    const std::vector<CounterKey> keys = oracle_.keys();
    const CounterAnswers answers = store.ask(keys, kWindows, soon());
    const Slot now = store.present_slot();
    for (std::size_t k = 0; k < keys.size(); ++k) {
      ASSERT_TRUE(answers.known[k]);
      for (std::size_t w = 0; w < kWindows.size(); ++w) {
        Amounts got = answers.of(k, w);
        if (is_unique(keys[k].type)) got.of(counters::kNewOnDay) = 0;
        ASSERT_EQ(got.counts, oracle_.sum(keys[k], kWindows[w], now).counts)
            << to_string(keys[k].type) << " window " << w << " slot " << now;
      }
    }
  }
  [[nodiscard]] std::size_t logs(int number = 0) const {
    std::size_t count = 0;
    const std::string path = folder_.file(("journal" + std::to_string(number)).c_str());
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (entry.path().extension() == ".waiting") ++count;
    return count;
  }

  testing::RedisProcess redis_;
  testing::TemporaryDirectory folder_;
  SharedCounterOptions options_;
  MovedClock clock_;
  SystemRandom random_;
  EventLogger logger_;
  CounterOracle oracle_;
};

}  // namespace shingled::storage::redis
