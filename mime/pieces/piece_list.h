#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/counter_options.h"
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

/// The pieces of one message while they are collected: each once, in order of type, within bounds.
/// Whoever adds begins with the most telling ones, for the last ones meet the bounds.
/// Threads: one.
class PieceList {
 public:
  /// `options` must outlive it.
  explicit PieceList(const PieceOptions& options) : options_(options) {}

  /// Adds a piece; one that is empty is no piece. Bytes that are not UTF-8 become U+FFFD, and what
  /// exceeds `piece_bytes_max` is cut off at the end of a character.
  void add(PieceType type, std::string_view piece);
  void add(PieceType type, std::string&& piece);
  void add(PieceType type, const char* piece) { add(type, std::string_view(piece)); }
  /// The same for a pair; both pieces must be there.
  void add_pair(PieceType type, std::string_view first, std::string_view second);

  /// Adds all pieces of another list, which is empty afterwards, and what it has dropped.
  void take_all(PieceList& other);

  /// Removes the pieces of a type for which `unwanted` is true.
  void remove(PieceType type, const std::function<bool(std::string_view)>& unwanted);

  /// Whether another piece of a type may find room: without it there is no need to look for more.
  [[nodiscard]] bool has_room(PieceType type) const;
  /// The pieces of a type so far.
  [[nodiscard]] std::vector<std::string_view> of_type(PieceType type) const;
  [[nodiscard]] std::size_t size() const { return pieces_.size(); }
  /// How often a piece met a bound and was left out.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  /// Notes that something was left out before it was a piece.
  void note_dropped(std::uint64_t count = 1) { dropped_ += count; }

  /// The list is empty afterwards.
  std::vector<Piece> take();

 private:
  using Place = std::set<Piece>::const_iterator;

  /// Where it belongs, if it is new and there is room for it; then it is counted. What meets a
  /// bound is counted as dropped.
  std::optional<Place> place_for(const Piece& piece);
  void insert(Piece piece);

  const PieceOptions& options_;
  std::set<Piece> pieces_;
  std::array<std::uint32_t, 256> counts_{};  ///< by type
  std::uint64_t dropped_ = 0;
};

/// Those of plain text and those of its HTML.
inline constexpr std::uint32_t kPhrasesOfMessageMax = 16;
/// Of what it quotes: each answer has them, and only complaints about them are asked.
inline constexpr std::uint32_t kQuotedPhrasesOfTextMax = 4;
inline constexpr std::uint32_t kQuotedPhrasesOfMessageMax = 8;

/// The most pieces of a type that a message may have.
std::uint32_t pieces_max_of(PieceType type, const PieceOptions& options);

}  // namespace shingled::mime
