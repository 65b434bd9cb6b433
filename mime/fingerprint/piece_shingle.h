#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "mime/fingerprint/keyed_hash.h"
#include "mime/fingerprint/piece_type.h"

namespace shingled {

/// The secret of a site's counters. Daemons that share counters share it.
using CounterKeyBytes = std::array<std::uint8_t, fingerprint::kSipKeyBytes>;

/// The name of a piece: SipHash-2-4 under the site's key over the number of the type (two bytes,
/// little-endian) and the piece. Without the key nobody can find out which address a shingle is, or
/// make two pieces that share one.
/// Threads: stateless.
/// Cost:    about 20 ns and a nanosecond per byte; no allocation up to 254 bytes.
/// Source:  COUNTERS.md section 2.
std::uint64_t piece_shingle(const CounterKeyBytes& key, PieceType type, std::string_view piece);

/// The piece of a pair: the length of the first piece (four bytes, little-endian), the first piece,
/// the second. So ("ab", "c") and ("a", "bc") differ.
std::string pair_piece(std::string_view first, std::string_view second);

}  // namespace shingled
