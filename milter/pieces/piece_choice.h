#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "milter/view/json.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::pieces {

/// A counter that a command is about.
struct ChosenPiece {
  mime::Piece piece;    ///< of a unique type: only the first text
  std::string shingle;  ///< 16 hexadecimal digits instead of the texts; empty otherwise

  friend bool operator==(const ChosenPiece&, const ChosenPiece&) = default;
};

/// The words of a command line that name pieces: TYPE PIECE..., TYPE FIRST SECOND for a pair.
struct PieceWords {
  std::vector<std::string> words;
  std::string shingle = {};  ///< --shingle
  bool exact = false;        ///< the texts are already in their normal form
};

/// The pieces that the words name.
struct PieceChoice {
  std::vector<ChosenPiece> pieces;
  std::vector<std::string> notes;  ///< what was changed in a text
};

/// Whether the first word is the name or the number of a type.
bool names_type(const PieceWords& words);

/// The number of a type that has this name or number; 0 if there is none.
unsigned number_of_type(const std::string& word);

/// Reads the words, whose first one names a type.
/// Errors: kInvalid: the wrong number of pieces, a text that cannot be a piece of this type, a
///         shingle that is not valid.
Result<PieceChoice> choose_pieces(const PieceWords& words);

/// What a word that is neither a type nor a file may have meant: "; did you mean link_host?".
std::string meant_type(const std::string& word);

/// The pieces of a message with the unique types of its pairs, each once.
std::vector<ChosenPiece> with_uniques(const std::vector<mime::Piece>& pieces);

/// As the pages about counters have it.
Json piece_json(const ChosenPiece& piece);
/// For people: "a@example.org", "a@example.org + b@example.net".
std::string piece_text(const ChosenPiece& piece);

}  // namespace shingled::milter::pieces
