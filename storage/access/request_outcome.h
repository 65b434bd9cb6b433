#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace shingled::storage::access {

/// What became of a request. Each is counted as one of these, by key and by source.
enum class RequestOutcome : std::uint8_t {
  kMatched,      ///< a question answered with a hash
  kUnmatched,    ///< a question answered without one
  kAdded,        ///< an addition acknowledged
  kDeleted,      ///< a deletion acknowledged
  kRefused,      ///< answered that it may not be
  kRateLimited,  ///< came too often
  kDropped,      ///< no answer: blocked, no command, not to be decrypted
  kOther,        ///< STAT, PING, the repeat of an update
};
inline constexpr std::size_t kOutcomes = 8;
inline constexpr std::array<std::string_view, kOutcomes> kOutcomeNames = {
    "matched", "unmatched", "added", "deleted", "refused", "ratelimited", "dropped", "other"};

/// How many requests had which outcome.
struct RequestOutcomeCounts {
  std::array<std::uint64_t, kOutcomes> counts{};

  [[nodiscard]] std::uint64_t of(RequestOutcome outcome) const {
    return counts[static_cast<std::size_t>(outcome)];
  }
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t all = 0;
    for (const std::uint64_t count : counts) all += count;
    return all;
  }
  RequestOutcomeCounts& operator+=(const RequestOutcomeCounts& other) {
    for (std::size_t i = 0; i < kOutcomes; ++i) counts[i] += other.counts[i];
    return *this;
  }
  friend bool operator==(const RequestOutcomeCounts&, const RequestOutcomeCounts&) = default;
};

}  // namespace shingled::storage::access
