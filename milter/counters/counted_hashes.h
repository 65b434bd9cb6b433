#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "config/options/hash_options.h"
#include "milter/rules/facts.h"
#include "mime/analyze.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::counters {

/// The rule whose digests of texts, robust texts and attachments are counted: the built-in one,
/// whatever the rules of the settings are, so that daemons that share counters make the same
/// pieces.
HashOptions counted_text_options();

/// The rule whose digests of HTML structures are counted. It makes nothing else.
HashOptions counted_structure_options();

/// Whether a rule with these options makes the same digests of texts as `counted_text_options`, so
/// that it need not be made for the counters alone.
bool makes_counted_texts(const HashOptions& options);

/// The hashes that are pieces. `texts` and `structures`: of rules with those options; structures
/// among `texts` are left out. Pure.
std::vector<mime::PartHash> counted_hashes(std::span<const mime::PartHash> texts,
                                           std::span<const mime::PartHash> structures);

/// The stored hashes that look-ups have matched, each once: their digests in hexadecimal digits.
/// Not those of what the message only quotes. Pure.
/// Source:  COUNTERS.md section 2, type 70.
std::vector<mime::Piece> matched_hashes(std::span<const rules::Lookup> lookups);

/// A known file that matched. `list` and `sample`: their names.
/// Source:  COUNTERS.md section 2, type 73.
mime::Piece matched_file(std::string_view list, std::string_view sample);

}  // namespace shingled::milter::counters
