#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::api {

/// A hash that was taken off one list.
struct ForgottenHash {
  Fingerprint fingerprint;
  std::optional<Digest> companion;
  std::uint64_t source = 0;  ///< who taught it (Update::source)
  storage::FlagValue list;
};

/// What was forgotten lately, by token, so that it can be put back once. In memory alone.
/// Threads: one thread at a time.
class ForgottenHashes {
 public:
  static constexpr std::chrono::hours kKept{1};
  static constexpr std::size_t kMost = 1000;  ///< deletions; the oldest goes

  explicit ForgottenHashes(Random& random) : random_(random) {}

  /// Returns the token: 32 hexadecimal digits that nobody can guess.
  std::string keep(std::vector<ForgottenHash> hashes, TimePoint now);
  /// What has this token, which is gone then; nullopt if there is none, or it is too old.
  std::optional<std::vector<ForgottenHash>> take(std::string_view token, TimePoint now);

 private:
  struct Entry {
    std::string token;
    TimePoint time;
    std::vector<ForgottenHash> hashes;
  };
  Random& random_;
  std::deque<Entry> entries_;  ///< the oldest first
};

}  // namespace shingled::milter::api
