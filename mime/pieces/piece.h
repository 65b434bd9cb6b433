#pragma once

#include <compare>
#include <string>

#include "mime/fingerprint/piece_type.h"

namespace shingled::mime {

/// A normalised bit of a message, by which the counters know it.
struct Piece {
  PieceType type{};
  std::string first;
  std::string second;  ///< of a pair, else empty
  friend auto operator<=>(const Piece&, const Piece&) = default;
};

}  // namespace shingled::mime
