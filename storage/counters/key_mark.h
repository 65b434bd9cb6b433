#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "mime/fingerprint/piece_shingle.h"

namespace shingled::storage::counters {

/// A keyed hash of a fixed text: files, exports and Redis carry it, so that counters under another
/// key are noticed. It says nothing about the key.
/// Source: COUNTERS.md section 2.
std::uint64_t key_mark(const CounterKeyBytes& key);

std::string mark_text(std::uint64_t mark);  ///< 16 hexadecimal digits
std::optional<std::uint64_t> parse_mark(std::string_view text);

/// What is wrong, and what to do. `where` names what carries the mark.
std::string other_key_error(const std::string& where, std::uint64_t mark, std::uint64_t ours);

/// Compares with the counters in a folder, which a daemon may have.
/// Errors: kInvalid: they are under another key.
Status check_key_mark(const std::string& directory, std::uint64_t ours);

}  // namespace shingled::storage::counters
