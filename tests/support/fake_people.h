#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "storage/people/people_store.h"

namespace shingled::testing {

/// What people said, in memory; can be told to fail.
/// Threads: any thread.
class FakePeople final : public storage::people::PeopleStore {
 public:
  using Statement = storage::people::Statement;
  using Voices = storage::people::Voices;

  Status say(const Statement& statement, TimePoint /*deadline*/) override {
    const std::lock_guard lock(mutex_);
    if (fails_) return Error{ErrorCode::kUnavailable, "away"};
    said_[{statement.message, statement.person}] = statement;
    return {};
  }
  Status withdraw(std::uint64_t message, std::uint64_t person, TimePoint /*deadline*/) override {
    const std::lock_guard lock(mutex_);
    if (fails_) return Error{ErrorCode::kUnavailable, "away"};
    said_.erase({message, person});
    return {};
  }
  Result<std::vector<Voices>> ask(std::span<const std::uint64_t> signs,
                                  TimePoint /*deadline*/) override {
    const std::lock_guard lock(mutex_);
    if (fails_) return Error{ErrorCode::kUnavailable, "away"};
    std::vector<Voices> out(signs.size());
    for (std::size_t i = 0; i < signs.size(); ++i)
      for (const auto& [name, one] : said_)
        if (std::ranges::find(one.signs, signs[i]) != one.signs.end())
          out[i].push_back({one.person, one.time, one.kind, one.standing});
    return out;
  }
  void report(MetricReport& /*report*/) const override {}

  void fail(bool fails) {
    const std::lock_guard lock(mutex_);
    fails_ = fails;
  }
  [[nodiscard]] std::vector<Statement> statements() const {
    const std::lock_guard lock(mutex_);
    std::vector<Statement> out;
    for (const auto& [name, one] : said_) out.push_back(one);
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Statement> said_;
  bool fails_ = false;
};

}  // namespace shingled::testing
