#pragma once

#include "storage/model/fuzzy_store.h"

namespace shingled::storage {

/// The store that knows nothing and keeps nothing: every CHECK is a miss, every update succeeds
/// (PROTOCOL.md 5.8).
/// Threads: any thread.
class NoopStore final : public FuzzyStore {
 public:
  [[nodiscard]] std::optional<Match> check(const Digest& digest, const Shingles* shingles,
                                           std::uint32_t now) const override;
  [[nodiscard]] std::vector<Match> check_all(const Fingerprint& fingerprint, std::uint32_t now,
                                             std::size_t most) const override;
  void submit(Update update, UpdateDone done) override;
  [[nodiscard]] std::uint64_t size() const override { return 0; }
  void report(MetricReport& report) const override;
};

}  // namespace shingled::storage
