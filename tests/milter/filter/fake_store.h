#pragma once

#include <atomic>
#include <optional>
#include <stdexcept>

#include "storage/model/fuzzy_store.h"

namespace shingled::milter::filter {

/// A storage that knows nothing, or everything, or breaks.
class FakeStore final : public storage::FuzzyStore {
 public:
  std::optional<storage::FlagValue> knows_all;  ///< every digest stands on this list
  bool throws = false;
  mutable std::atomic<int> checks{0};

  [[nodiscard]] std::optional<storage::Match> check(const Digest& digest, const Shingles*,
                                                    std::uint32_t) const override {
    ++checks;
    if (throws) throw std::runtime_error("the store broke");
    if (!knows_all) return std::nullopt;
    storage::Match match;
    match.digest = digest;
    match.slots = 32;
    match.exact = true;
    match.flag_count = 1;
    match.flags[0] = *knows_all;
    return match;
  }
  [[nodiscard]] std::vector<storage::Match> check_all(const Fingerprint&, std::uint32_t,
                                                      std::size_t) const override {
    return {};
  }
  void submit(storage::Update, storage::UpdateDone done) override { done({}); }
  [[nodiscard]] std::uint64_t size() const override { return 0; }
};

}  // namespace shingled::milter::filter
