#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace shingled::milter::cli {

inline constexpr unsigned kJobsMax = 64;

/// Does `count` pieces of work on `jobs` threads and hands what came of each to `take`, in their
/// order and on the calling thread. `take` returns false to stop: what was begun is still done, and
/// thrown away. With one job no thread is started.
///
/// Threads: `work` is called on several at once and must not throw.
/// Memory:  4 results a job that wait for their turn.
template <typename Outcome>
void in_order(std::size_t count, unsigned jobs, const std::function<Outcome(std::size_t)>& work,
              const std::function<bool(std::size_t, Outcome)>& take) {
  jobs = static_cast<unsigned>(std::min<std::size_t>(std::min(jobs, kJobsMax), count));
  if (jobs <= 1) {
    for (std::size_t i = 0; i < count && take(i, work(i)); ++i) {
    }
    return;
  }
  const std::size_t window = std::size_t{4} * jobs;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::optional<Outcome>> waiting(window);  // of number i at i % window
  std::size_t next = 0;                                 // to be begun
  std::size_t taken = 0;
  bool stop = false;

  const auto help = [&] {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return stop || next == count || next < taken + window; });
      if (stop || next == count) return;
      const std::size_t number = next++;
      lock.unlock();
      Outcome outcome = work(number);
      lock.lock();
      waiting[number % window] = std::move(outcome);
      changed.notify_all();
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 0; i < jobs; ++i) helpers.emplace_back(help);

  for (std::size_t i = 0; i < count; ++i) {
    std::optional<Outcome> outcome;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return waiting[i % window].has_value(); });
      outcome.swap(waiting[i % window]);
      ++taken;
    }
    changed.notify_all();
    if (!take(i, *std::move(outcome))) break;
  }
  const std::lock_guard lock(mutex);
  stop = true;
  changed.notify_all();
}

}  // namespace shingled::milter::cli
