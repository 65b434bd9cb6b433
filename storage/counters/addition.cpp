#include "storage/counters/addition.h"

#include "config/base/assert.h"

namespace shingled::storage::counters {

namespace {

void append_key(Bytes& out, const CounterKey& key) {
  append_number(out, key.shingle);
  out.push_back(key.tag());
}

/// nullopt for a type that does not exist.
std::optional<CounterKey> read_key(ByteReader& in) {
  const std::uint64_t shingle = in.u64();
  const CounterKey key = CounterKey::of(shingle, in.u8());
  if (find_piece_type(static_cast<std::uint64_t>(key.type)) == nullptr) return std::nullopt;
  return key;
}

}  // namespace

CounterKey counter_of(const CounterKeyBytes& site, Direction direction, PieceType type,
                      std::string_view piece) {
  return {piece_shingle(site, type, piece), type, direction};
}

Pair pair_of(const CounterKeyBytes& site, Direction direction, PieceType type,
             std::string_view first, std::string_view second) {
  Pair pair{counter_of(site, direction, type, pair_piece(first, second)),
            piece_shingle(site, unique_of(type), first)};
  pair.key.shingle = (pair.key.shingle & ~kPairTagMask) | (pair.unique & kPairTagMask);
  return pair;
}

void encode_addition(const Addition& addition, Bytes& out) {
  SHINGLED_ASSERT(addition.counters.size() + addition.pairs.size() <= kAdditionKeysMax);
  std::uint8_t present = 0;
  for (std::size_t i = 0; i < kMeasures; ++i)
    if (addition.amounts.counts[i] != 0) present |= static_cast<std::uint8_t>(1U << i);
  out.push_back(present);
  for (const std::uint64_t count : addition.amounts.counts)
    if (count != 0) append_number(out, count);
  append_number(out, static_cast<std::uint16_t>(addition.counters.size()));
  append_number(out, static_cast<std::uint16_t>(addition.pairs.size()));
  for (const CounterKey& key : addition.counters) append_key(out, key);
  for (const Pair& pair : addition.pairs) {
    append_key(out, pair.key);
    append_number(out, pair.unique);
  }
}

std::optional<Addition> decode_addition(BytesView bytes) {
  ByteReader in(bytes);
  Addition addition;
  const std::uint8_t present = in.u8();
  for (std::size_t i = 0; i < kMeasures; ++i) {
    if ((present >> i & 1U) == 0) continue;
    addition.amounts.counts[i] = in.u64();
    if (addition.amounts.counts[i] == 0 || addition.amounts.counts[i] > kCountMax)
      return std::nullopt;
  }
  const std::size_t counters = in.u16();
  const std::size_t pairs = in.u16();
  if (!in.ok() || counters + pairs > kAdditionKeysMax) return std::nullopt;
  addition.counters.reserve(counters);
  for (std::size_t i = 0; i < counters; ++i) {
    const auto key = read_key(in);
    if (!key || is_pair(key->type) || is_unique(key->type)) return std::nullopt;
    addition.counters.push_back(*key);
  }
  addition.pairs.reserve(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto key = read_key(in);
    if (!key || !is_pair(key->type)) return std::nullopt;
    addition.pairs.push_back({*key, in.u64()});
  }
  if (!in.done()) return std::nullopt;
  return addition;
}

}  // namespace shingled::storage::counters
