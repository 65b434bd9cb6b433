#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/base/byte_reader.h"
#include "mime/fingerprint/piece_shingle.h"
#include "storage/counters/counter.h"

namespace shingled::storage::counters {

/// Two pieces that came together. The counter of the pair type is `key`; the first time that it
/// comes in a period, the counter of its unique type with the shingle `unique` grows by one.
struct Pair {
  CounterKey key;
  std::uint64_t unique = 0;

  [[nodiscard]] CounterKey unique_key() const {
    return {unique, unique_of(key.type), key.direction};
  }
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// The bits of its shingle that a pair has from its unique: from them a cluster knows that both
/// belong together, also where only the pair is named.
inline constexpr std::uint64_t kPairTagMask = 0xFFFF;

/// The counter of a piece that is not a pair.
CounterKey counter_of(const CounterKeyBytes& site, Direction direction, PieceType type,
                      std::string_view piece);
/// The counter of a pair, with the shingle of its unique.
Pair pair_of(const CounterKeyBytes& site, Direction direction, PieceType type,
             std::string_view first, std::string_view second);

/// What one call adds: the same amounts to each of its counters and pairs.
struct Addition {
  std::vector<CounterKey> counters;
  std::vector<Pair> pairs;
  Amounts amounts;

  friend bool operator==(const Addition&, const Addition&) = default;
};

/// The most counters and pairs together in one call.
inline constexpr std::size_t kAdditionKeysMax = 4096;

/// Appends the addition as the log has it (COUNTERS.md section 4). It has at most kAdditionKeysMax
/// keys.
void encode_addition(const Addition& addition, Bytes& out);
/// nullopt if the bytes are not exactly one valid addition.
std::optional<Addition> decode_addition(BytesView bytes);

}  // namespace shingled::storage::counters
