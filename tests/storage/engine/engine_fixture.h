#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage/engine/engine.h"
#include "tests/storage/engine/random_fingerprint.h"
#include "tests/storage/store_calls.h"
#include "tests/support/manual_clock.h"
#include "tests/support/temporary_directory.h"

namespace shingled::storage::engine {

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

  shingled::testing::TemporaryDirectory directory_;
  EngineOptions options_;
  shingled::testing::ManualClock clock_;
  NullLogger logger_;
  Seeded random_{20'261'121};
  std::unique_ptr<Engine> engine_;
};

/// All flags of a match, for comparison.
inline std::vector<FlagValue> flags_of(const Match& match) {
  return {match.flags.begin(), match.flags.begin() + match.flag_count};
}

}  // namespace shingled::storage::engine
