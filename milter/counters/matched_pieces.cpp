#include "milter/counters/matched_pieces.h"

#include <algorithm>
#include <string>

#include "config/base/hex.h"

namespace shingled::milter::counters {

std::vector<mime::Piece> matched_hashes(std::span<const rules::Lookup> lookups) {
  std::vector<mime::Piece> out;
  for (const rules::Lookup& lookup : lookups) {
    if (lookup.outcome != rules::Lookup::Outcome::kHit || lookup.is_quoted()) continue;
    mime::Piece piece{PieceType::kStoredHash, to_hex(lookup.match.digest.bytes), {}};
    if (std::ranges::find(out, piece) == out.end()) out.push_back(std::move(piece));
  }
  return out;
}

mime::Piece matched_file(std::string_view list, std::string_view sample) {
  return {PieceType::kKnownFile, std::string(list) + '/' + std::string(sample), {}};
}

}  // namespace shingled::milter::counters
