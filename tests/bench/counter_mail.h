#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "storage/counters/embedded/embedded_counters.h"

// The mail that counter_store counts, who maintains the store meanwhile, and what is measured.

namespace shingled::bench {

using namespace shingled::storage::counters;
using Clocks = std::chrono::steady_clock;

inline constexpr std::size_t kPiecesPerMessage = 40;
inline constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;
/// Of the document's system: 68 % of all updates are of counters that are new in their period.
inline constexpr std::uint64_t kNewPercent = 68;
inline constexpr std::uint64_t kKnownPieces = 1'000'000;

inline const std::vector<Window> kWindows = {{Period::Unit::kSlot, 1, 0},
                                             {Period::Unit::kSlot, 6, 0},
                                             {Period::Unit::kDay, 1, 0},
                                             {Period::Unit::kDay, 14, 0}};

inline double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

inline double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

inline double seconds_since(Clocks::time_point begin) {
  return std::chrono::duration<double>(Clocks::now() - begin).count();
}

inline std::uint64_t resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::strtoull(line.c_str() + 8, nullptr, 10) / 1024;
  return 0;
}

[[noreturn]] inline void die(const Error& error) {
  fmt::print(stderr, "{}\n", error.message);
  std::exit(1);
}

/// Messages of 40 pieces: most are new, the others follow Zipf's law.
class Mail {
 public:
  explicit Mail(std::uint64_t seed) : random_(seed) {}

  Addition next() {
    Addition addition;
    addition.counters.reserve(kPiecesPerMessage);
    for (std::size_t i = 0; i < kPiecesPerMessage; ++i)
      addition.counters.push_back({piece(), static_cast<PieceType>(50 + i % 4), Direction::kIn});
    addition.amounts.of(Measure::kMass) = 1;
    addition.amounts.of(Measure::kRecipients) = 1;
    addition.amounts.of(Measure::kBytes) = 2000 + (random_() % 300) * (random_() % 300);
    addition.amounts.of(random_() % 2 == 0 ? Measure::kSpam : Measure::kHam) = 1;
    return addition;
  }

 private:
  std::uint64_t piece() {
    if (random_() % 100 < kNewPercent) return random_();
    // Zipf with exponent 1: the logarithm of the rank is uniform.
    const double u = std::uniform_real_distribution<double>(0, 1)(random_);
    const auto rank = static_cast<std::uint64_t>(std::pow(double{kKnownPieces}, u));
    return rank * kGolden;
  }

  std::mt19937_64 random_;
};

/// The thread that the daemon has for it.
class Maintainer {
 public:
  void start(EmbeddedCounters& counters) {
    thread_ = std::jthread([this, &counters](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      while (!stop.stop_requested()) {
        wanted_.wait(lock, stop, [&] { return is_wanted_; });
        is_wanted_ = false;
        lock.unlock();
        const auto begin = Clocks::now();
        if (const Status done = counters.maintain(stop); !done && !stop.stop_requested())
          die(done.error());
        longest_ = std::max(longest_, seconds_since(begin));
        lock.lock();
      }
    });
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    is_wanted_ = true;
    wanted_.notify_all();
  }
  void stop() {
    thread_.request_stop();
    thread_.join();
  }
  [[nodiscard]] double longest() const { return longest_; }

 private:
  std::mutex mutex_;
  std::condition_variable_any wanted_;
  bool is_wanted_ = false;
  double longest_ = 0;
  std::jthread thread_;
};

/// Times of calls, by the clock and of the processor: on a busy machine the clock measures others.
class CallTimes {
 public:
  template <typename Call>
  void measure(const Call& call) {
    const auto begin = Clocks::now();
    const double processor = thread_seconds();
    call();
    processor_.push_back((thread_seconds() - processor) * 1e6);
    wall_.push_back(seconds_since(begin) * 1e6);
  }
  /// What it keeps itself.
  [[nodiscard]] std::size_t bytes() const {
    return (wall_.size() + processor_.size()) * sizeof(double);
  }
  void print(const std::string& name) {
    print("by the clock  ", name, wall_);
    print("of a processor", name, processor_);
    wall_ = {};
    processor_ = {};
  }

 private:
  static void print(const char* what, const std::string& name, std::vector<double>& times) {
    if (times.empty()) return;
    std::ranges::sort(times);
    const auto at = [&](double share) {
      return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    fmt::print("{} {}: p50 {:.1f} us, p99 {:.1f}, p99.9 {:.1f}, at most {:.0f}\n", name, what,
               at(0.5), at(0.99), at(0.999), times.back());
  }

  std::vector<double> wall_;
  std::vector<double> processor_;
};

/// How late a thread wakes that only sleeps: so long the machine lets anybody wait, whatever the
/// store does.
class Hiccups {
 public:
  /// In seconds.
  double longest() {
    thread_.request_stop();
    thread_.join();
    return longest_;
  }

 private:
  static constexpr std::chrono::milliseconds kSleep{1};

  double longest_ = 0;
  std::jthread thread_{[this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto begin = Clocks::now();
      std::this_thread::sleep_for(kSleep);
      const double late = seconds_since(begin) - std::chrono::duration<double>(kSleep).count();
      longest_ = std::max(longest_, late);
    }
  }};
};

/// A plain count of some of the known pieces, by day.
class PlainCount {
 public:
  void add(const Addition& addition, std::int64_t day) {
    for (const CounterKey& key : addition.counters) {
      // One key in 97; nearly all of those that come often are new only once.
      if (key.shingle % 97 != 0) continue;
      auto& days = counts_[key];
      if (days.empty() || days.back().first != day) days.emplace_back(day, 0);
      ++days.back().second;
    }
  }

  /// The number of sums over 1 and 14 days that differ from what the store says.
  std::uint64_t compare(EmbeddedCounters& counters, std::int64_t today, std::uint64_t& compared) {
    std::uint64_t wrong = 0;
    std::erase_if(counts_,
                  [&](const auto& entry) { return entry.second.back().first <= today - 14; });
    for (const auto& [key, days] : counts_) {
      std::array<std::uint64_t, 2> expected{};
      for (const auto& [day, count] : days) {
        if (day == today) expected[0] += count;
        if (day > today - 14) expected[1] += count;
      }
      const CounterAnswers answers = counters.ask(std::span(&key, 1), std::span(kWindows).last(2));
      for (std::size_t i = 0; i < expected.size(); ++i, ++compared) {
        if (!answers.known[0] || answers.of(0, i).of(Measure::kMass) != expected[i]) ++wrong;
      }
    }
    return wrong;
  }

 private:
  struct Hash {
    std::size_t operator()(const CounterKey& key) const {
      return key.shingle ^ (static_cast<std::uint64_t>(key.type) * kGolden);
    }
  };
  std::unordered_map<CounterKey, std::vector<std::pair<std::int64_t, std::uint64_t>>, Hash> counts_;
};

}  // namespace shingled::bench
