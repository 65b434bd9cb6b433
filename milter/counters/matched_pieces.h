#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "milter/rules/facts.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::counters {

/// The stored hashes that look-ups have matched, each once: their digests in hexadecimal digits.
/// Not those of what the message only quotes. Pure.
/// Source:  COUNTERS.md section 2, type 70.
std::vector<mime::Piece> matched_hashes(std::span<const rules::Lookup> lookups);

/// A known file that matched. `list` and `sample`: their names.
/// Source:  COUNTERS.md section 2, type 73.
mime::Piece matched_file(std::string_view list, std::string_view sample);

}  // namespace shingled::milter::counters
