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
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "storage/counters/embedded/embedded_counters.h"
#include "tests/bench/counter_mail.h"
#include "tests/support/manual_clock.h"

namespace {

using namespace shingled;
using namespace shingled::bench;
using namespace shingled::storage::counters;

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
    Hiccups hiccups;
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
        print_size(fmt::format("after {:4.0f} s", now), asks.bytes() + adds.bytes());
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
    fmt::print("a thread that only sleeps  wakes at most {:.0f} us late\n",
               hiccups.longest() * 1e6);
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

  /// `ours`: bytes of this program that are not the store's.
  void print_size(const std::string& when, std::size_t ours = 0) {
    const EmbeddedCounterStatus status = counters_->status();
    fmt::print("{}: memory {} MB, {} live counters, {} files, {} rows, {} MB\n", when,
               resident_megabytes() - (ours >> 20U), status.live_counters, status.files,
               status.rows, status.disk_bytes >> 20U);
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
    const auto disk = static_cast<double>(status.disk_bytes);
    fmt::print("disk a counter             {:.2f} bytes: {} MB in {} files\n",
               disk / static_cast<double>(status.rows), status.disk_bytes >> 20U, status.files);
    const std::uint64_t entries = count_entries();
    fmt::print("disk a counter of a period {:.2f} bytes: {} in all\n",
               disk / static_cast<double>(entries), entries);
  }

  /// What was sealed: each counter of each ten minutes (of each day, when those are over).
  std::uint64_t count_entries() {
    std::uint64_t entries = 0;
    const auto cursor = counters_->scan();
    for (;;) {
      const auto next = cursor->next();
      if (!next) die(next.error());
      if (*next == nullptr) return entries;
      entries += (*next)->entries.size();
    }
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
