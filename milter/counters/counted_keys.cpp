#include "milter/counters/counted_keys.h"

#include <algorithm>
#include <utility>

namespace shingled::milter::counters {

using storage::counters::counter_of;
using storage::counters::CounterKey;
using storage::counters::Direction;
using storage::counters::Pair;
using storage::counters::pair_of;
using storage::counters::Window;

std::vector<Pair> keys_of(const CounterKeyBytes& site, Direction direction,
                          std::span<const mime::Piece> pieces) {
  std::vector<Pair> out;
  out.reserve(pieces.size());
  for (const mime::Piece& piece : pieces) {
    out.push_back(is_pair(piece.type)
                      ? pair_of(site, direction, piece.type, piece.first, piece.second)
                      : Pair{counter_of(site, direction, piece.type, piece.first), 0});
  }
  return out;
}

CountedKeys counted_keys(std::span<const Pair> keys) {
  CountedKeys out;
  const std::size_t count = std::min(keys.size(), storage::counters::kAdditionKeysMax);
  out.dropped = keys.size() - count;
  out.addition.counters.reserve(count);
  for (const Pair& key : keys.first(count)) {
    if (is_pair(key.key.type)) {
      out.addition.pairs.push_back(key);
    } else {
      out.addition.counters.push_back(key.key);
    }
  }
  return out;
}

CountedKeys counted_keys(const CounterKeyBytes& site, Direction direction,
                         std::span<const mime::Piece> pieces) {
  return counted_keys(keys_of(site, direction, pieces));
}

bool is_from_proved(std::span<const Pair> keys) {
  return std::ranges::any_of(keys,
                             [](const Pair& key) { return key.key.type == PieceType::kFrom; });
}

CounterQuestion question_of(const CounterKeyBytes& site, std::span<const mime::Piece> pieces,
                            std::span<const Pair> keys, const TypeSet& types) {
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
    if (has(piece.type)) ask(keys[i].key, piece);
    if (!is_pair(piece.type)) {
      constexpr PieceType kReporters = PieceType::kUniqueReporters;
      if (piece.type == PieceType::kStoredHash && has(kReporters))
        ask(counter_of(site, keys[i].key.direction, kReporters, piece.first),
            {kReporters, piece.first, {}});
      continue;
    }
    const PieceType unique = unique_of(piece.type);
    // Pairs are sorted, so those with the same first piece follow each other.
    const bool seen =
        i > 0 && pieces[i - 1].type == piece.type && pieces[i - 1].first == piece.first;
    if (!seen && has(unique)) ask(keys[i].unique_key(), {unique, piece.first, {}});
  }
  return out;
}

CounterQuestion question_of(const CounterKeyBytes& site, Direction direction,
                            std::span<const mime::Piece> pieces, const TypeSet& types) {
  return question_of(site, pieces, keys_of(site, direction, pieces), types);
}

std::vector<CounterAsk> asks_for(const features::CounterNeeds& needs) {
  constexpr std::size_t kWindowsTogether = 16;
  std::vector<CounterAsk> out;
  for (const features::CounterNeed& need : needs) {
    const auto joined = [&](const CounterAsk& ask) {
      std::vector<Window> windows = ask.windows;
      for (const Window& window : need.windows)
        if (!is_long(window) && std::ranges::find(windows, window) == windows.end())
          windows.push_back(window);
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
    // Windows that later needs add come last.
    std::vector<std::size_t>& places = with->places[static_cast<std::size_t>(need.type)];
    places = features::places_of(need.windows, with->windows);
    for (std::size_t& place : places)
      if (place == with->windows.size()) place = kNoPlace;
  }
  return out;
}

}  // namespace shingled::milter::counters
