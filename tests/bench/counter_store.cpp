// The embedded counters as one process: updates, messages, one hot counter, and questions over many
// counters on disk. The clock is moved by hand, so a day of mail takes minutes.
//
//   counter_store                     10 million updates of a day; all figures
//   counter_store UPDATES [FOLDER]    another number; the folder is kept and used again. With 0
//                                     there are only questions
//   counter_store sustained SECONDS [RATE]
//                                     RATE updates a second (220000), each message asked for and
//                                     then added, while the store seals and merges
//   counter_store days DAYS [UPDATES]
//                                     UPDATES (100 million) spread over some days; every day the
//                                     sums of many counters are compared with a plain count
#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "storage/counters/embedded_counters.h"
#include "tests/support/manual_clock.h"

namespace {

using namespace shingled;
using namespace shingled::storage::counters;
using Clocks = std::chrono::steady_clock;

constexpr std::size_t kPiecesPerMessage = 40;
constexpr std::uint64_t kGolden = 0x9E37'79B9'7F4A'7C15;
/// Of the document's system: 68 % of all updates are of counters that are new in their period.
constexpr std::uint64_t kNewPercent = 68;
constexpr std::uint64_t kKnownPieces = 1'000'000;

const std::vector<Window> kWindows = {{Period::Unit::kSlot, 1, 0},
                                      {Period::Unit::kSlot, 6, 0},
                                      {Period::Unit::kDay, 1, 0},
                                      {Period::Unit::kDay, 14, 0}};

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double thread_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds_since(Clocks::time_point begin) {
  return std::chrono::duration<double>(Clocks::now() - begin).count();
}

std::uint64_t resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) return std::strtoull(line.c_str() + 8, nullptr, 10) / 1024;
  return 0;
}

[[noreturn]] void die(const Error& error) {
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
      addition.counters.push_back({piece(), static_cast<PieceType>(50 + i % 4), Space::kIn});
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
  void print(const std::string& name) {
    print("by the clock  ", name, wall_);
    print("of a processor", name, processor_);
    wall_.clear();
    processor_.clear();
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

class Run {
 public:
  Run(std::uint64_t updates, const std::filesystem::path& folder)
      : messages_(updates / kPiecesPerMessage), files_(folder_files(folder)) {
    options_.directory = folder;
    options_.disk_max = 64ULL << 30U;
  }

  void all() {
    open();
    if (messages_ > 0) {
      updates();
      one_counter();
      questions("with the maintenance of the end still to do");
    }
    maintainer_.stop();
    finish();
    questions("after it");
    options_.cache_max = 0;
    reopen();
    questions("without a cache");
  }

  /// Messages come in even distances by the real time; what comes late is made up for.
  void sustained(double seconds, double rate) {
    constexpr double kReportGap = 60;
    open();
    Mail mail(3);
    CallTimes asks;
    CallTimes adds;
    const double gap = kPiecesPerMessage / rate;
    const double processor = processor_seconds();
    double generating = 0;
    double latest = 0;
    double maintained = 0;
    double reported = 0;
    std::uint64_t messages = 0;
    const std::jthread syncs([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        std::this_thread::sleep_for(options_.sync);
        if (const Status synced = counters_->sync(); !synced) die(synced.error());
      }
    });
    const auto begin = Clocks::now();
    for (double due = 0; due < seconds; due += gap, ++messages) {
      double now = seconds_since(begin);
      if (now < due) {
        std::this_thread::sleep_for(std::chrono::duration<double>(due - now));
        now = seconds_since(begin);
      }
      latest = std::max(latest, now - due);
      if (now - maintained > 1) {
        maintained = now;
        maintainer_.wake();
      }
      if (now - reported > kReportGap) {
        reported = now;
        print_size(fmt::format("after {:4.0f} s", now));
      }
      clock_.advance(std::chrono::nanoseconds(static_cast<std::int64_t>(gap * 1e9)));
      const double made = thread_seconds();
      const Addition addition = mail.next();
      generating += thread_seconds() - made;
      asks.measure([&] { static_cast<void>(counters_->ask(addition.counters, kWindows)); });
      adds.measure([&] {
        if (const Status added = counters_->add(addition); !added) die(added.error());
      });
    }
    const double used = processor_seconds() - processor - generating;
    fmt::print("messages                   {} in {:.0f} s, the latest {:.0f} ms late\n", messages,
               seconds_since(begin), latest * 1e3);
    fmt::print("processor                  {:.0f} % of a core, sealing and merging included\n",
               used / seconds_since(begin) * 100);
    asks.print("ask of 40,");
    adds.print("add to 40,");
    maintainer_.stop();
    print_size("at the end");
    fmt::print("longest maintenance        {:.2f} s\n", maintainer_.longest());
  }

  /// Mail in even distances over some days, as fast as it can be taken.
  void days(std::uint64_t days) {
    open();
    Mail mail(5);
    PlainCount plain;
    CallTimes asks;
    std::uint64_t compared = 0;
    std::uint64_t wrong = 0;
    const std::uint64_t a_day = messages_ / days;
    const auto step = std::chrono::nanoseconds(std::chrono::hours(24)) /
                      static_cast<std::int64_t>(std::max<std::uint64_t>(a_day, 1));
    clock_.advance(to_midnight());
    for (std::uint64_t day = 0; day < days; ++day) {
      const auto begin = Clocks::now();
      for (std::uint64_t i = 0; i < a_day; ++i) {
        const Addition addition = mail.next();
        add(addition);
        plain.add(addition, today());
        if (i % 64 == 0)
          asks.measure([&] { static_cast<void>(counters_->ask(addition.counters, kWindows)); });
        // The thread of a daemon has ten real minutes for each ten minutes of mail; here it gets
        // its turn after each.
        if (i % std::max<std::uint64_t>(a_day / 144, 1) == 0) maintainer_.wake();
        if (i + 1 < a_day) clock_.advance(step);
      }
      wrong += plain.compare(*counters_, today(), compared);
      print_size(fmt::format("day {:2} in {:3.0f} s", day + 1, seconds_since(begin)));
      clock_.advance(to_midnight());
    }
    maintainer_.stop();
    asks.print("ask of 40 meanwhile,");
    fmt::print("refused and tried again    {}\n", refused_);
    fmt::print("longest maintenance        {:.2f} s\n", maintainer_.longest());
    fmt::print("sums                       {} compared, {} wrong\n", compared, wrong);
    finish();
    reopen();
    if (wrong > 0) std::exit(1);
  }

 private:
  static constexpr std::int64_t kDaySeconds = 86'400;

  [[nodiscard]] std::int64_t today() const {
    return std::int64_t{unix_seconds(clock_.wall())} / kDaySeconds;
  }
  [[nodiscard]] std::chrono::seconds to_midnight() const {
    return std::chrono::seconds(kDaySeconds -
                                std::int64_t{unix_seconds(clock_.wall())} % kDaySeconds);
  }

  void print_size(const std::string& when) {
    const EmbeddedCounterStatus status = counters_->status();
    fmt::print("{}: memory {} MB, {} live counters, {} files, {} rows, {} MB\n", when,
               resident_megabytes(), status.live_counters, status.files, status.rows,
               status.disk_bytes >> 20U);
    std::fflush(stdout);
  }

  /// Adds, and waits where the store cannot take more at the moment.
  void add(const Addition& addition) {
    for (;;) {
      const Status added = counters_->add(addition);
      if (added) return;
      if (added.error().code != ErrorCode::kLimit) die(added.error());
      ++refused_;
      std::this_thread::yield();
    }
  }

  void open() {
    auto opened = EmbeddedCounters::open(options_, *files_, clock_, [this] { maintainer_.wake(); });
    if (!opened) die(opened.error());
    counters_ = *std::move(opened);
    maintainer_.start(*counters_);
  }

  void updates() {
    // A day, so that what is written is merged over days as well.
    const auto step = std::chrono::nanoseconds(std::chrono::hours(24)) /
                      static_cast<std::int64_t>(std::max<std::uint64_t>(messages_, 1));
    Mail mail(1);
    CallTimes asks;
    double live_bytes = 0;
    double live_counters = 0;
    std::uint64_t most_memory = 0;
    const auto begin = Clocks::now();
    const double processor = processor_seconds();
    double generating = 0;
    for (std::uint64_t i = 0; i < messages_; ++i) {
      const auto made = Clocks::now();
      const Addition addition = mail.next();
      generating += seconds_since(made);
      add(addition);
      if (i % 64 == 0) {
        asks.measure([&] { static_cast<void>(counters_->ask(addition.counters, kWindows)); });
      }
      if (i % 65'536 == 0) {
        const EmbeddedCounterStatus status = counters_->status();
        if (status.live_counters > 100'000) {
          live_bytes += static_cast<double>(status.memory_bytes);
          live_counters += static_cast<double>(status.live_counters);
        }
        most_memory = std::max(most_memory, resident_megabytes());
        maintainer_.wake();
      }
      clock_.advance(step);
    }
    const double wall = seconds_since(begin) - generating;
    const double used = processor_seconds() - processor - generating;
    const auto updates = static_cast<double>(messages_ * kPiecesPerMessage);
    fmt::print("updates                    {:.0f}, of a day of mail\n", updates);
    fmt::print("  per second               {:.0f}\n", updates / wall);
    fmt::print("  per second of processor  {:.0f}, sealing and merging included\n", updates / used);
    fmt::print("  refused and tried again  {}\n", refused_);
    if (live_counters > 0)
      fmt::print("memory a live counter      {:.1f} bytes\n", live_bytes / live_counters);
    fmt::print("memory at most             {} MB\n", most_memory);
    asks.print("ask of 40 meanwhile,");
    fmt::print("longest maintenance        {:.2f} s\n", maintainer_.longest());
  }

  void one_counter() {
    constexpr int kMessages = 100'000;
    Addition addition = Mail(2).next();
    const std::vector<CounterKey> spread = addition.counters;
    const auto per_update = [&] {
      const double begin = processor_seconds();
      for (int i = 0; i < kMessages; ++i)
        if (const Status added = counters_->add(addition); !added) die(added.error());
      return (processor_seconds() - begin) / kMessages / kPiecesPerMessage * 1e9;
    };
    const double many = per_update();
    addition.counters.assign(kPiecesPerMessage, spread.front());
    const double one = per_update();
    fmt::print("update of 40 counters      {:.0f} ns; 40 times one counter {:.0f} ns\n", many, one);
  }

  void questions(const char* when) {
    Mail mail(1);  // the same mail again, so the known pieces are there
    CallTimes asks;
    for (int i = 0; i < 20'000; ++i) {
      const Addition addition = mail.next();
      CounterAnswers answers;
      asks.measure([&] { answers = counters_->ask(addition.counters, kWindows); });
      if (!answers.known.front()) die({ErrorCode::kCorrupt, "a counter is unknown"});
    }
    asks.print(fmt::format("ask of 40, {},", when));
  }

  void finish() {
    clock_.advance(std::chrono::minutes(10));
    if (const Status done = counters_->maintain({}); !done) die(done.error());
    const EmbeddedCounterStatus status = counters_->status();
    fmt::print("disk a row                 {:.2f} bytes: {} MB in {} files\n",
               static_cast<double>(status.disk_bytes) / static_cast<double>(status.rows),
               status.disk_bytes >> 20U, status.files);
  }

  void reopen() {
    counters_.reset();
    const auto begin = Clocks::now();
    auto opened = EmbeddedCounters::open(options_, *files_, clock_);
    if (!opened) die(opened.error());
    counters_ = *std::move(opened);
    fmt::print("start                      {:.3f} s with {} rows\n", seconds_since(begin),
               counters_->status().rows);
  }

  const std::uint64_t messages_;
  std::unique_ptr<FileSystem> files_;
  shingled::testing::ManualClock clock_;
  EmbeddedCounterOptions options_;
  std::unique_ptr<EmbeddedCounters> counters_;
  Maintainer maintainer_;
  std::uint64_t refused_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const bool is_sustained = !args.empty() && args[0] == "sustained";
  const auto number = [&](std::size_t place, double otherwise) {
    return args.size() > place ? std::strtod(args[place].c_str(), nullptr) : otherwise;
  };
  const bool is_days = !args.empty() && args[0] == "days";
  const bool is_kept = !is_sustained && !is_days && args.size() > 1;
  const std::filesystem::path folder = is_kept
                                           ? std::filesystem::path(args[1])
                                           : std::filesystem::temp_directory_path() /
                                                 fmt::format("shingled-counters-{}", ::getpid());
  std::filesystem::create_directories(folder);
  if (is_sustained)
    Run(0, folder).sustained(number(1, 600), number(2, 220'000));
  else if (is_days)
    Run(static_cast<std::uint64_t>(number(2, 100'000'000)), folder)
        .days(static_cast<std::uint64_t>(std::max(number(1, 14), 1.0)));
  else
    Run(static_cast<std::uint64_t>(number(0, 10'000'000)), folder).all();
  if (!is_kept) std::filesystem::remove_all(folder);
  return 0;
}
