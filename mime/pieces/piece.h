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

/// For people: both texts of a pair.
inline std::string text_of(const Piece& piece) {
  return piece.second.empty() ? piece.first : piece.first + " + " + piece.second;
}

}  // namespace shingled::mime
