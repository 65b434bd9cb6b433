#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "mime/fingerprint/piece_shingle.h"
#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter.h"

namespace shingled::milter::api {

inline constexpr std::size_t kRequestedPieceBytesMax = 65'536;

/// A piece, by which its counter is known.
struct RequestedPiece {
  storage::counters::CounterKey key;    ///< of a pair: of the pair itself
  std::optional<std::uint64_t> unique;  ///< of a pair: the shingle of its unique, if it is known
};

/// A piece as a request has it: a type with a text, with two texts, or with a shingle.
struct WrittenPiece {
  const PieceTypeRow* type = nullptr;
  std::vector<std::string> texts = {};
  bool is_list = false;  ///< the texts are in a list
  std::optional<std::uint64_t> shingle = {};
  std::optional<std::uint64_t> unique = {};

  /// The counter of the piece, in mail that came in. `adds`: it is to be added to.
  /// Errors: kInvalid: what is missing or does not fit.
  [[nodiscard]] Result<RequestedPiece> resolve(bool adds, const CounterKeyBytes& site) const;
};

}  // namespace shingled::milter::api
