// Covers storage/counters/compactor/past_counters.cpp, storage/counters/view/counter_reader.cpp and
// the laws of EmbeddedCounters: any operations in any order against brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "tests/storage/counters/embedded/embedded_fixture.h"

namespace shingled::storage::counters {
namespace {

using testing::ManualClock;
using testing::MemoryFiles;
using testing::TemporaryDirectory;

/// Random operations and moves of the clock.
class RandomWalk {
  using Random = std::mt19937_64;

 public:
  RandomWalk(std::uint64_t seed, std::uint64_t log_max, std::uint64_t cache_max)
      : seed_(seed), random_(seed) {
    options_.directory = directory_.path();
    options_.log_max = log_max;
    options_.cache_max = cache_max;
    open();
  }

  void go(std::uint64_t steps) {
    for (std::uint64_t at = 0; at < steps && !::testing::Test::HasFatalFailure(); ++at) {
      others_ = kOthers;
      step();
      // What many steps touch is compared once for a few of them.
      if (others_ > kOthers || at % kStepsPerCompare == 0) {
        for (int i = 0; i < others_; ++i) touched_.push_back(random_key(random_));
        compare(touched_);
        touched_.clear();
      }
      if (at % 997 == 0) {
        compare_all();
        compare_scan();
        const Day today = day_of(counters_->present_slot());
        oracle_.drop_before(today - std::min(today, kDaysOfOracle));
      }
    }
    compare_all();
    compare_scan();
  }

  /// Beside `go`: asks all kinds of questions.
  void read(const std::stop_token& stop, std::uint64_t seed) {
    Random random(seed);
    std::vector<CounterKey> keys(20);
    while (!stop.stop_requested()) {
      const std::shared_lock no_restart(restarting_);
      for (CounterKey& key : keys) key = random_key(random);
      CounterAnswers answers = counters_->ask(keys, kWindows);
      for (std::size_t k = 0; k < keys.size(); ++k) {
        EXPECT_TRUE(answers.known[k]);
        expect_nested(answers.of_key(k));
      }
      EXPECT_TRUE(counters_->series(keys[0]));
      EXPECT_TRUE(counters_->sync());
      if (random() % 64 != 0) continue;
      EXPECT_TRUE(counters_->verify({}));
      const auto cursor = counters_->scan();
      for (bool at_end = false; !at_end;) {
        const auto next = cursor->next();
        EXPECT_TRUE(next);
        at_end = !next || *next == nullptr;
      }
    }
  }

 private:
  static constexpr std::uint64_t kStepsPerCompare = 6;
  /// Keys that are compared besides those that were touched.
  static constexpr int kOthers = 8;
  /// The same after what may change all of them, a third of all that there are.
  static constexpr int kOthersOfAll = 500;
  static constexpr Day kDaysOfOracle = 20;
  static constexpr std::size_t kWindowsMax = 16;

  void step() {
    const std::uint64_t dice = random_() % 1000;
    if (dice < 930) {
      add();
    } else if (dice < 940) {
      learn();
    } else if (dice < 944) {
      import();
    } else if (dice < 950) {
      forget();
    } else if (dice < 985) {
      steady_.advance(std::chrono::minutes(random_() % 11));
      expect_done(counters_->maintain({}));
    } else if (dice < 995) {
      expect_done(counters_->maintain({}));
    } else if (dice < 997) {
      steady_.advance(std::chrono::hours(random_() % 30));
      expect_done(counters_->maintain({}));
      others_ = kOthersOfAll;
    } else if (dice < 998) {
      set_clock_wrong();
      others_ = kOthersOfAll;
    } else {
      open();
      others_ = kOthersOfAll;
    }
  }

  /// As after `kill -9`: the end of EmbeddedCounters writes nothing.
  void open() {
    const std::unique_lock alone(restarting_);
    counters_.reset();
    auto opened = EmbeddedCounters::open(options_, files_, clock_);
    ASSERT_TRUE(opened) << opened.error().message;
    counters_ = *std::move(opened);
  }
  static void expect_done(const Status& status) { ASSERT_TRUE(status) << status.error().message; }
  void touch(const Addition& addition) {
    touched_.insert(touched_.end(), addition.counters.begin(), addition.counters.end());
    for (const Pair& pair : addition.pairs) {
      touched_.push_back(pair.key);
      touched_.push_back(pair.unique_key());
    }
  }
  static std::uint64_t piece(Random& random, std::uint64_t bound) {
    return (random() % bound + 1) * 0x9E37'79B9'7F4A'7C15;
  }
  /// A pair belongs to one sender, as its shingle is a hash of both pieces. So no two senders may
  /// share a pair here, which `sender ^ recipient` would not ensure.
  static Pair random_pair(Random& random) {
    constexpr std::uint64_t kFactor = 0x9E37'79B9'7F4A'7C15;
    constexpr std::uint64_t kRecipients = 12;
    const std::uint64_t pair = random() % (20 * kRecipients);
    return {{(pair + 1) * kFactor, PieceType::kSenderRecipient},
            (pair / kRecipients + 1) * kFactor};
  }
  static CounterKey random_single(Random& random) {
    return {piece(random, 300), random() % 2 == 0 ? PieceType::kLink : PieceType::kFrom,
            random() % 4 == 0 ? Direction::kOut : Direction::kIn};
  }
  static CounterKey random_key(Random& random) {
    const std::uint64_t dice = random() % 3;
    if (dice == 0) return random_single(random);
    return dice == 1 ? random_pair(random).key : random_pair(random).unique_key();
  }
  Addition random_addition() {
    Addition addition;
    for (std::uint64_t i = random_() % 6; i > 0; --i)
      addition.counters.push_back(random_single(random_));
    for (std::uint64_t i = random_() % 3; i > 0; --i)
      addition.pairs.push_back(random_pair(random_));
    addition.amounts = message(random_() % 3 == 0 ? random_() % 100'000 : 0, random_() % 3);
    if (random_() % 3 == 0) addition.amounts.of(Measure::kHam) = 1;
    if (random_() % 5 == 0) addition.amounts.of(Measure::kSpam) = 1;
    if (random_() % 50 == 0) {
      addition.amounts = {};
      addition.amounts.of(Measure::kComplaint) = 1;
    }
    return addition;
  }
  /// Half of them of the last hours, the others of up to sixteen days.
  Slot past_slot() {
    const Slot now = counters_->present_slot();
    return now - static_cast<Slot>(random_() % (random_() % 2 == 0 ? 20 : 16 * kSlotsPerDay));
  }

  void add() {
    const Addition addition = random_addition();
    const Slot slot = counters_->present_slot();
    expect_done(counters_->add(addition));
    oracle_.add(addition, slot);
    touch(addition);
  }
  /// For a while. Not back by a day or more: ten minutes that were added to their day since are
  /// asked for then. Not ahead by less than a day: the counters keep that time until the clock goes
  /// back by a day or more.
  void set_clock_wrong() {
    constexpr int kMinutes[] = {-23 * 60, -50, -1, 24 * 60 + 30, 3 * 1440, 400 * 1440};
    const std::chrono::seconds before = clock_.ahead;
    clock_.ahead = before + std::chrono::minutes(kMinutes[random_() % std::size(kMinutes)]);
    for (std::uint64_t i = random_() % 40; i > 0 && !::testing::Test::HasFatalFailure(); --i) {
      if (random_() % 4 == 0) {
        steady_.advance(std::chrono::minutes(random_() % 11));
        expect_done(counters_->maintain({}));
      } else {
        add();
      }
      compare(touched_);
    }
    clock_.ahead = before;
  }

  void learn() {
    std::vector<PastAddition> past;
    for (std::uint64_t i = random_() % 12; i > 0; --i)
      past.push_back({past_slot(), random_addition()});
    expect_done(counters_->learn(past));
    for (const PastAddition& each : past) {
      oracle_.add(each.addition, each.slot);
      touch(each.addition);
    }
  }
  void import() {
    std::vector<CounterSeries> imported;
    for (std::uint64_t i = random_() % 6; i > 0; --i) {
      CounterSeries series{random_key(random_), {}};
      for (std::uint64_t j = random_() % 4; j > 0; --j) {
        const Slot slot = past_slot();
        Entry entry{{Period::Unit::kSlot, slot}, message(random_() % 500, random_() % 2)};
        if (random_() % 2 == 0) entry.period = {Period::Unit::kDay, day_of(slot)};
        if (is_unique(series.key.type)) entry.amounts.of(Measure::kBytes) = 0;
        add_entry(series.entries, entry);
      }
      imported.push_back(series);
    }
    expect_done(counters_->import(imported));
    for (const CounterSeries& series : imported) {
      oracle_.import(series);
      touched_.push_back(series.key);
    }
  }
  void forget() {
    std::vector<CounterKey> keys;
    for (std::uint64_t i = random_() % 5; i > 0; --i) keys.push_back(random_key(random_));
    expect_done(counters_->forget(keys));
    for (const CounterKey& key : keys) oracle_.forget(key);
    touched_.insert(touched_.end(), keys.begin(), keys.end());
  }

  void expect_sums(const CounterKey& key, std::span<const Amounts> sums) {
    std::array<Amounts, kWindowsMax> all_wanted;
    oracle_.add_sums(key, kWindows, counters_->present_slot(), all_wanted);
    for (std::size_t w = 0; w < kWindows.size(); ++w) {
      Amounts got = sums[w];
      if (is_unique(key.type)) got.counts = {got.of(Measure::kMass)};
      Amounts& wanted = all_wanted[w];
      if (is_unique(key.type)) wanted.counts = {wanted.of(Measure::kMass)};
      ASSERT_EQ(got.counts, wanted.counts) << "seed " << seed_ << ", " << to_string(key.type) << ' '
                                           << key.shingle << ", window " << w;
    }
  }
  void compare(std::span<const CounterKey> keys) {
    CounterAnswers answers = counters_->ask(keys, kWindows);
    for (std::size_t k = 0; k < keys.size() && !::testing::Test::HasFatalFailure(); ++k)
      expect_sums(keys[k], answers.of_key(k));
  }
  void compare_all() {
    const std::vector<CounterKey> keys = oracle_.keys();
    compare(keys);
    if (random_() % 4 == 0) compare(keys);  // the second time the sums may come from the cache
    ASSERT_LE(counters_->status().cache_bytes, options_.cache_max);
  }
  /// A longer window has at least as much.
  static void expect_nested(std::span<const Amounts> sums) {
    constexpr std::pair<std::size_t, std::size_t> kNested[] = {{0, 1}, {1, 2}, {4, 5}};
    for (const auto& [inner, outer] : kNested)
      EXPECT_LE(sums[inner].of(Measure::kMass), sums[outer].of(Measure::kMass));
  }
  void compare_scan() {
    std::map<CounterKey, std::vector<Amounts>> sums;
    for (const CounterKey& key : oracle_.keys()) sums[key].resize(kWindows.size());
    const auto cursor = counters_->scan();
    std::optional<CounterKey> before;
    for (;;) {
      const auto next = cursor->next();
      ASSERT_TRUE(next) << next.error().message;
      if (*next == nullptr) break;
      ASSERT_TRUE(!before || *before < (*next)->key);
      before = (*next)->key;
      ASSERT_TRUE(sums.contains(*before));
      WindowSums window_sums(kWindows, counters_->present_slot(), sums[*before]);
      for (const Entry& entry : (*next)->entries)
        window_sums.add(before->type, entry.period, entry.amounts);
    }
    for (const auto& [key, each] : sums)
      if (!::testing::Test::HasFatalFailure()) expect_sums(key, each);
  }

  const std::uint64_t seed_;
  Random random_;
  TemporaryDirectory directory_;
  MemoryFiles files_;
  ManualClock steady_;
  SettableClock clock_{steady_};
  CounterOracle oracle_;
  std::vector<CounterKey> touched_;  ///< what the steps since the last comparison may have changed
  int others_ = kOthers;
  EmbeddedCounterOptions options_;
  FairSharedMutex restarting_;
  std::unique_ptr<EmbeddedCounters> counters_;
};

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const wanted = std::getenv(variable);
  return wanted == nullptr ? otherwise : std::strtoull(wanted, nullptr, 10);
}

std::uint64_t first_seed() { return number_of("SHINGLED_COUNTER_SEED", 1); }

TEST(EmbeddedCountersLaw, EqualsBruteForceOverSealsMergesAndRestarts) {
  const std::uint64_t steps = number_of("SHINGLED_COUNTER_STEPS", 12'000);
  // With a small log, tables are sealed several times in their ten minutes. The caches hold all,
  // some or no sums.
  constexpr std::uint64_t kCaches[] = {32ULL << 20U, 32ULL << 20U, 64ULL << 10U, 0};
  for (std::uint64_t walk = 0; walk < 4 && !::testing::Test::HasFatalFailure(); ++walk)
    RandomWalk(first_seed() + walk, walk % 2 == 0 ? 64ULL << 20U : 2000, kCaches[walk])
        .go(steps / 4);
}

TEST(EmbeddedCountersLaw, HoldsWhileOthersRead) {
  RandomWalk walk(first_seed(), 20'000, 64ULL << 10U);
  std::jthread first([&](const std::stop_token& stop) { walk.read(stop, 1); });
  std::jthread second([&](const std::stop_token& stop) { walk.read(stop, 2); });
  walk.go(number_of("SHINGLED_COUNTER_READ_STEPS", 1500));
}

}  // namespace
}  // namespace shingled::storage::counters
