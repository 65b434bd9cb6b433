#include "milter/api/counters/requested_piece.h"

#include <fmt/format.h>

#include "storage/counters/addition.h"

namespace shingled::milter::api {

namespace {

using storage::counters::Direction;

Error wrong_piece(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }

}  // namespace

Result<RequestedPiece> WrittenPiece::resolve(bool adds, const CounterKeyBytes& site) const {
  if (type == nullptr) return wrong_piece("type is missing");
  const bool has_piece = is_list || !texts.empty();
  if (shingle.has_value() == has_piece) return wrong_piece("needs either piece or shingle");
  const bool pair = is_pair(type->type);
  if (adds && is_unique(type->type)) {
    const auto* const counted_by = find_piece_type(static_cast<std::uint64_t>(type->type) - 1);
    return wrong_piece(fmt::format("'{}' is not added to: it grows with '{}'", type->name,
                                   counted_by == nullptr ? "" : counted_by->name));
  }
  if (unique && (!pair || !shingle))
    return wrong_piece("unique belongs to the shingle of a pair only");
  if (shingle) {
    if (adds && pair && !unique)
      return wrong_piece("unique is missing: without it the different pieces cannot be counted");
    if (unique && ((*shingle ^ *unique) & storage::counters::kPairTagMask) != 0)
      return wrong_piece("the last four digits of shingle and unique must be the same");
    return RequestedPiece{{*shingle, type->type, Direction::kIn}, unique};
  }
  if (pair != is_list || texts.size() != (pair ? 2U : 1U)) {
    return wrong_piece(fmt::format("piece of '{}' must be {}", type->name,
                                   pair ? "a list of two texts" : "a text"));
  }
  if (!pair)
    return RequestedPiece{counter_of(site, Direction::kIn, type->type, texts.front()),
                          std::nullopt};
  const auto both = pair_of(site, Direction::kIn, type->type, texts[0], texts[1]);
  return RequestedPiece{both.key, both.unique};
}

}  // namespace shingled::milter::api
