#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "milter/features/counter_needs.h"
#include "mime/pieces/piece_list.h"
#include "storage/counters/addition.h"

namespace shingled::milter::counters {

/// The counters of a message.
struct CountedKeys {
  storage::counters::Addition addition;  ///< without amounts
  std::uint64_t dropped = 0;             ///< pieces beyond kAdditionKeysMax
};

/// The key of each piece; one that is no pair has no unique. Pure.
/// Cost: a hash for each piece, two for a pair.
std::vector<storage::counters::Pair> keys_of(const CounterKeyBytes& site,
                                             storage::counters::Direction direction,
                                             std::span<const mime::Piece> pieces);

/// The counters and pairs of some pieces, by keys_of(). Unique types are not among them: the store
/// counts them. Pure.
CountedKeys counted_keys(std::span<const storage::counters::Pair> keys);
CountedKeys counted_keys(const CounterKeyBytes& site, storage::counters::Direction direction,
                         std::span<const mime::Piece> pieces);

/// Whether pieces are those of a message whose From is proved: is_from_proved() of their keys.
bool is_from_proved(std::span<const storage::counters::Pair> keys);

/// Types of pieces by number.
inline constexpr std::size_t kTypeNumbers = 128;
using TypeSet = std::bitset<kTypeNumbers>;

/// What the store is asked for: the piece of each key, which for a unique type is the first alone.
struct CounterQuestion {
  std::vector<storage::counters::CounterKey> keys;
  std::vector<mime::Piece> pieces;
};

/// The counters of the pieces whose types are needed, in the order of the pieces. A unique type is
/// there once for each first piece of its pairs; for the people who reported a stored hash the hash
/// is enough. `keys`: keys_of() the pieces. Pure.
CounterQuestion question_of(const CounterKeyBytes& site, std::span<const mime::Piece> pieces,
                            std::span<const storage::counters::Pair> keys, const TypeSet& types);
CounterQuestion question_of(const CounterKeyBytes& site, storage::counters::Direction direction,
                            std::span<const mime::Piece> pieces, const TypeSet& types);

inline constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();

/// Types that are asked for together, with one list of windows.
struct CounterAsk {
  TypeSet types;
  std::vector<storage::counters::Window> windows;
  /// By type, of each window that it needs the place among `windows`; kNoPlace of a long one, in
  /// which nothing was counted.
  std::array<std::vector<std::size_t>, kTypeNumbers> places = {};
};
/// Each call costs a round trip or a look at the files, each window a little of every counter. So
/// types are asked together until they need more windows than a store remembers sums of. Pure.
std::vector<CounterAsk> asks_for(const features::CounterNeeds& needs);

}  // namespace shingled::milter::counters
