#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mime/fingerprint/piece_type.h"

namespace shingled::milter::pieces {

/// What a person typed for a piece in the form that the milter counts. A type whose form cannot be
/// made of a text alone keeps it. For a unique type it is the first piece of its pair.
/// Errors:  nullopt if a piece of this type cannot look like that.
/// Threads: stateless.
std::optional<std::string> normal_piece(PieceType type, std::string_view text);

/// The types of the two pieces of a pair; nullopt for one that is no type by itself.
struct PairParts {
  std::optional<PieceType> first;
  std::optional<PieceType> second;
};
PairParts parts_of(PieceType pair);

}  // namespace shingled::milter::pieces
