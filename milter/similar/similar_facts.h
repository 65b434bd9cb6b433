#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace shingled::milter::similar {

/// A piece of a message that is like a sample of the library: the best one of one list.
struct SimilarHit {
  std::size_t piece = 0;  ///< of the message, numbered; what is known as good spares its own piece
  std::string part;       ///< IMAP section number
  std::string file;       ///< as the message names the attachment; empty = not at all
  std::string entry;      ///< of the container (SignedPiece::path); empty = the whole
  std::uint64_t bytes = 0;
  std::string list;
  std::string sample;  ///< its name
  std::uint64_t sample_id = 0;
  int score = 0;  ///< 1 to 100, as ssdeep; 0 = below what the list wants
  unsigned shared =
      0;  ///< n-grams that a part of the sample has, too; 0 = below what the list wants
  unsigned asked = 0;  ///< of so many of the piece

  /// 0 to 1: of both ways the one that says more.
  [[nodiscard]] double likeness() const {
    const double of_parts = asked == 0 ? 0 : static_cast<double>(shared) / asked;
    return std::max(score / 100.0, std::min(of_parts, 1.0));
  }
  friend bool operator==(const SimilarHit&, const SimilarHit&) = default;
};

/// What the library said of a message. A note is no failure: what was left out is not known.
struct SimilarFacts {
  std::vector<SimilarHit> hits;    ///< in the order looked up, then of the lists of the settings
  std::vector<std::string> notes;  ///< why something was left out, fixed phrases, each once
  std::size_t pieces = 0;          ///< looked up
  std::uint64_t containers = 0;    ///< opened
  /// Time or work ended before all was looked up that the settings want.
  bool incomplete = false;
};

/// "invoice.zip!evil.exe", or the number of the part where the message gives no name.
std::string piece_name(const SimilarHit& hit);
/// "similarity 93", "12 of 40 n-grams (30 %)", or both with " and " between.
std::string likeness_text(const SimilarHit& hit);

}  // namespace shingled::milter::similar
