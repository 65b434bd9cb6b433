#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "storage/engine/engine.h"
#include "tests/storage/engine/random_fingerprint.h"
#include "tests/storage/engine/temporary_directory.h"
#include "tests/storage/store_calls.h"

namespace shingled::storage::engine {

/// A clock moved by hand.
/// Threads: any thread.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const override { return TimePoint(seconds()); }
  [[nodiscard]] WallTime wall() const override { return WallTime(seconds()); }
  void advance(std::chrono::seconds by) { seconds_.fetch_add(by.count()); }
  [[nodiscard]] std::uint32_t unix_seconds() const {
    return static_cast<std::uint32_t>(seconds_.load());
  }

 private:
  [[nodiscard]] std::chrono::seconds seconds() const {
    return std::chrono::seconds(seconds_.load());
  }
  std::atomic<std::int64_t> seconds_{1'700'000'000};
};

class EngineTest : public ::testing::Test, protected StoreCalls {
 protected:
  EngineTest() { options_.hashfile = directory_.file("fuzzy.db"); }

  void open() {
    engine_.reset();
    auto opened = Engine::open(options_, clock_, logger_);
    ASSERT_TRUE(opened) << opened.error().message;
    engine_ = *std::move(opened);
  }
  [[nodiscard]] std::optional<Match> check(const Fingerprint& what) const {
    return check_in(*engine_, what, clock_.unix_seconds());
  }
  Status apply(const Update& update) { return engine_->apply({&update, 1}); }

  TemporaryDirectory directory_;
  EngineOptions options_;
  ManualClock clock_;
  NullLogger logger_;
  Seeded random_{20'261'121};
  std::unique_ptr<Engine> engine_;
};

/// All flags of a match, for comparison.
inline std::vector<FlagValue> flags_of(const Match& match) {
  return {match.flags.begin(), match.flags.begin() + match.flag_count};
}

}  // namespace shingled::storage::engine
