#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "config/base/guarded.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::testing {

/// A store in memory that the test controls: it commits when the test says so, knows every digest,
/// or throws. Set the public members before the first call.
/// Threads: any thread.
class FakeStore final : public storage::FuzzyStore {
 public:
  enum class Commit { kAtOnce, kWhenTold };
  explicit FakeStore(Commit commit = Commit::kAtOnce) : commit_(commit) {}

  std::optional<storage::FlagValue>
      knows_all;        ///< if set, every digest is known with this list and weight
  bool throws = false;  ///< every check throws
  mutable std::atomic<int> checks{0};

  std::optional<storage::Match> check(const Digest& digest, const Shingles* shingles,
                                      std::uint32_t) const override {
    ++checks;
    if (throws) throw std::runtime_error("the store broke");
    if (knows_all) return exact_match(digest, *knows_all);
    auto state = state_.lock();
    if (const auto found = state->records.find(digest); found != state->records.end())
      return found->second.match;
    if (shingles == nullptr) return std::nullopt;
    for (const auto& [stored, record] : state->records) {
      if (!record.shingles) continue;
      storage::Match match = record.match;
      match.exact = false;
      match.slots = 0;
      for (std::size_t i = 0; i < kShingleCount; ++i)
        match.slots += (*record.shingles)[i] == (*shingles)[i] ? 1U : 0U;
      if (match.slots >= storage::kMatchSlotsMin) return match;
    }
    return std::nullopt;
  }
  bool check_batch(std::span<const storage::Question> questions, std::uint32_t now,
                   std::span<std::optional<storage::Match>> answers) const override {
    if (away_) {
      std::fill(answers.begin(), answers.end(), std::nullopt);
      return false;
    }
    return FuzzyStore::check_batch(questions, now, answers);
  }
  std::vector<storage::Match> check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                        std::size_t) const override {
    const auto match =
        check(fingerprint.digest, fingerprint.shingles ? &*fingerprint.shingles : nullptr, now);
    return match ? std::vector{*match} : std::vector<storage::Match>{};
  }
  void submit(storage::Update update, storage::UpdateDone done) override {
    Failure failure = Failure::kNone;
    if (auto state = state_.lock(); !state->failures.empty()) {
      failure = state->failures.front();
      state->failures.erase(state->failures.begin());
    }
    if (failure == Failure::kLost) return apply(update, [done](const Status&) { done(refused()); });
    if (failure == Failure::kRefused) return done(refused());
    if (commit_ == Commit::kAtOnce) return apply(update, done);
    state_.lock()->waiting.emplace_back(update, std::move(done));
  }
  std::vector<storage::UpdateId> recent_updates() const override { return state_.lock()->recent; }
  std::uint64_t size() const override {
    auto state = state_.lock();
    return state->pretended_size != 0 ? state->pretended_size : state->records.size();
  }

  /// Finishes all waiting updates with `status`. Returns their number.
  std::size_t commit(const Status& status = {}) {
    const auto waiting = std::exchange(state_.lock()->waiting, {});
    for (const auto& [update, done] : waiting) {
      if (status) {
        apply(update, done);
      } else {
        done(status);
      }
    }
    return waiting.size();
  }
  std::size_t waiting() const { return state_.lock()->waiting.size(); }
  std::size_t applied() const { return state_.lock()->applied.size(); }
  std::vector<storage::Update> updates() const { return state_.lock()->applied; }
  /// Sets the updates that were made before the store was opened.
  void pretend_recent(std::vector<storage::UpdateId> names) {
    state_.lock()->recent = std::move(names);
  }
  /// From now on the store cannot be reached, and checks have no answer.
  void go_away() { away_ = true; }
  void come_back() { away_ = false; }
  enum class Failure : std::uint8_t {
    kNone,
    kRefused,
    kLost,  ///< it is made, but its answer is an error
  };
  /// What becomes of the next updates, in their order.
  void fail_next(std::vector<Failure> failures) { state_.lock()->failures = std::move(failures); }
  void pretend_size(std::uint64_t size) { state_.lock()->pretended_size = size; }
  void put(const storage::Match& match, std::optional<Shingles> shingles = std::nullopt) {
    state_.lock()->records[match.digest] = {match, shingles};
  }

 private:
  struct Record {
    storage::Match match;
    std::optional<Shingles> shingles;
  };
  struct State {
    std::map<Digest, Record> records;
    std::vector<std::pair<storage::Update, storage::UpdateDone>> waiting;
    std::vector<storage::Update> applied;
    std::uint64_t pretended_size = 0;
    std::vector<storage::UpdateId> recent;
    std::vector<Failure> failures;
  };

  static Status refused() { return Error{ErrorCode::kUnavailable, "refused by the test"}; }

  static storage::Match exact_match(const Digest& digest, const storage::FlagValue& list) {
    storage::Match match;
    match.digest = digest;
    match.exact = true;
    match.slots = kShingleCount;
    match.flag_count = 1;
    match.flags[0] = list;
    return match;
  }

  void apply(const storage::Update& update, const storage::UpdateDone& done) {
    {
      auto state = state_.lock();
      state->applied.push_back(update);
      const Digest& digest = update.fingerprint.digest;
      if (update.kind == storage::Update::Kind::kDelete) {
        state->records.erase(digest);
      } else {
        Record& record = state->records[digest];
        const std::int32_t value = record.match.flags[0].value + update.value;
        record.match = exact_match(digest, {update.flag, value});
        if (update.fingerprint.shingles) record.shingles = update.fingerprint.shingles;
      }
    }
    done({});
  }

  const Commit commit_;
  std::atomic<bool> away_{false};
  mutable Guarded<State> state_;
};

/// Waits until `condition` holds. Returns false after a time that is long even for a slow machine.
inline bool eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace shingled::testing
