#include "milter/counters/counted_keys.h"

#include <algorithm>
#include <utility>

namespace shingled::milter::counters {

using storage::counters::counter_of;
using storage::counters::CounterKey;
using storage::counters::pair_of;
using storage::counters::Space;
using storage::counters::Window;

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
                            std::span<const mime::Piece> pieces, const TypeSet& types) {
  CounterQuestion out;
  out.keys.reserve(pieces.size());
  out.pieces.reserve(pieces.size());
  const auto ask = [&](const CounterKey& key, mime::Piece piece) {
    out.keys.push_back(key);
    out.pieces.push_back(std::move(piece));
  };
  const auto has = [&](PieceType type) { return types.test(static_cast<std::size_t>(type)); };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const mime::Piece& piece = pieces[i];
    if (!is_pair(piece.type)) {
      if (has(piece.type)) ask(counter_of(site, space, piece.type, piece.first), piece);
      constexpr PieceType kReporters = PieceType::kUniqueReporters;
      if (piece.type == PieceType::kStoredHash && has(kReporters))
        ask(counter_of(site, space, kReporters, piece.first), {kReporters, piece.first, {}});
      continue;
    }
    if (has(piece.type)) {
      ask(pair_of(site, space, piece.type, piece.first, piece.second).key, piece);
    }
    const PieceType unique = unique_of(piece.type);
    // Pairs are sorted, so those with the same first piece follow each other.
    const bool seen =
        i > 0 && pieces[i - 1].type == piece.type && pieces[i - 1].first == piece.first;
    if (!seen && has(unique)) {
      ask(counter_of(site, space, unique, piece.first), {unique, piece.first, {}});
    }
  }
  return out;
}

std::vector<CounterAsk> asks_for(const features::CounterNeeds& needs) {
  constexpr std::size_t kWindowsTogether = 16;
  std::vector<CounterAsk> out;
  for (const features::CounterNeed& need : needs) {
    const auto joined = [&](const CounterAsk& ask) {
      std::vector<Window> windows = ask.windows;
      for (const Window& window : need.windows)
        if (std::ranges::find(windows, window) == windows.end()) windows.push_back(window);
      return windows;
    };
    auto with = std::ranges::find_if(out, [&](const CounterAsk& ask) {
      const std::size_t count = joined(ask).size();
      const bool same = count == std::min(ask.windows.size(), need.windows.size());
      return same || count <= kWindowsTogether;
    });
    if (with == out.end()) with = out.insert(out.end(), CounterAsk{});
    with->windows = joined(*with);
    with->types.set(static_cast<std::size_t>(need.type));
    // Windows that later needs add come behind.
    with->places[static_cast<std::size_t>(need.type)] =
        features::places_of(need.windows, with->windows);
  }
  return out;
}

}  // namespace shingled::milter::counters
