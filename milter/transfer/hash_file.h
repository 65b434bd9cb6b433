#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::milter::transfer {

/// A record of the database file that answers a question.
struct StoredMatch {
  storage::sqlite::FuzzyRow row;
  std::uint32_t slots = 0;  ///< equal shingle slots; 32 for the same digest
  bool exact = false;       ///< the same digest
};

/// The best record for each question, read from the file: the same digest, else most equal slots,
/// at least kMatchSlotsMin. Expired records count too; the reader says how old they are.
///
/// For `explain`, with or without a daemon.
/// Errors: those of FuzzyTable, naming the file.
/// Cost: one pass over the whole file.
Result<std::vector<std::optional<StoredMatch>>> search_file(const std::string& path,
                                                            std::span<const Fingerprint> asked);

/// The digests in the file that begin with this hexadecimal text, at most `most`. Cost and errors
/// as above.
Result<std::vector<Digest>> digests_with_prefix(const std::string& path, const std::string& hex,
                                                std::size_t most);

}  // namespace shingled::milter::transfer
