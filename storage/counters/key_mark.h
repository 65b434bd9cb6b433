#pragma once

#include <cstdint>
#include <string>

#include "mime/fingerprint/piece_shingle.h"

namespace shingled::storage::counters {

/// A keyed hash of a fixed text: files, exports and Redis carry it, so that counters under another
/// key are noticed. It says nothing about the key.
/// Source: COUNTERS.md section 2.
std::uint64_t key_mark(const CounterKeyBytes& key);

/// What is wrong, and what to do. `where` names what carries the mark.
std::string other_key_error(const std::string& where, std::uint64_t mark, std::uint64_t ours);

}  // namespace shingled::storage::counters
