#include "milter/counters/counted_keys.h"

#include <algorithm>
#include <utility>

namespace shingled::milter::counters {

using storage::counters::counter_of;
using storage::counters::CounterKey;
using storage::counters::pair_of;
using storage::counters::Space;

CountedKeys counted_keys(const CounterKeyBytes& site, Space space,
                         std::span<const mime::Piece> pieces) {
  CountedKeys out;
  const std::size_t count = std::min(pieces.size(), storage::counters::kAdditionKeysMax);
  out.dropped = pieces.size() - count;
  out.addition.counters.reserve(count);
  for (const mime::Piece& piece : pieces.first(count)) {
    if (is_pair(piece.type)) {
      out.addition.pairs.push_back(pair_of(site, space, piece.type, piece.first, piece.second));
    } else {
      out.addition.counters.push_back(counter_of(site, space, piece.type, piece.first));
    }
  }
  return out;
}

CounterQuestion question_of(const CounterKeyBytes& site, Space space,
                            std::span<const mime::Piece> pieces, const CounterNeeds& needs) {
  CounterQuestion out;
  const auto ask = [&](const CounterKey& key, mime::Piece piece) {
    out.keys.push_back(key);
    out.pieces.push_back(std::move(piece));
  };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const mime::Piece& piece = pieces[i];
    if (!is_pair(piece.type)) {
      if (needs.has(piece.type)) ask(counter_of(site, space, piece.type, piece.first), piece);
      continue;
    }
    if (needs.has(piece.type)) {
      ask(pair_of(site, space, piece.type, piece.first, piece.second).key, piece);
    }
    const PieceType unique = unique_of(piece.type);
    // Pairs are sorted, so those with the same first piece follow each other.
    const bool seen =
        i > 0 && pieces[i - 1].type == piece.type && pieces[i - 1].first == piece.first;
    if (!seen && needs.has(unique)) {
      ask(counter_of(site, space, unique, piece.first), {unique, piece.first, {}});
    }
  }
  return out;
}

}  // namespace shingled::milter::counters
