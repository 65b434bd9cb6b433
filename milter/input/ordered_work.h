#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "config/base/guarded.h"

namespace shingled::milter::input {

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
  struct Progress {
    std::vector<std::optional<Outcome>> waiting;  // of number i at i % window
    std::size_t next = 0;                         // to be begun
    std::size_t taken = 0;
    bool stop = false;
  };
  Guarded<Progress> guarded;
  guarded.lock()->waiting.resize(window);
  std::condition_variable changed;

  const auto begin_next = [&]() -> std::optional<std::size_t> {
    auto now = guarded.lock();
    changed.wait(now.as_lock(), [&] {
      return now->stop || now->next == count || now->next < now->taken + window;
    });
    if (now->stop || now->next == count) return std::nullopt;
    return now->next++;
  };
  const auto help = [&] {
    while (const auto number = begin_next()) {
      Outcome outcome = work(*number);
      guarded.lock()->waiting[*number % window] = std::move(outcome);
      changed.notify_all();
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 0; i < jobs; ++i) helpers.emplace_back(help);

  for (std::size_t i = 0; i < count; ++i) {
    std::optional<Outcome> outcome;
    {
      auto now = guarded.lock();
      changed.wait(now.as_lock(), [&] { return now->waiting[i % window].has_value(); });
      outcome.swap(now->waiting[i % window]);
      ++now->taken;
    }
    changed.notify_all();
    if (!take(i, *std::move(outcome))) break;
  }
  guarded.lock()->stop = true;
  changed.notify_all();
}

}  // namespace shingled::milter::input
