#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/counter_options.h"
#include "mime/fingerprint/piece_shingle.h"

namespace shingled::storage::counters {

/// The site's key from its file: 32 hexadecimal digits and a line end. If there is no file, makes
/// one with a random key, mode 0600, that belongs to the owner of its folder if root makes it.
///
/// Errors: kInvalid (not such a text), kDenied (others may read the file, or we may not), those of
/// read_whole_file and of writing; each names the file, none the key.
/// Threads: any thread; of several processes that make the file at once one wins, and all get its
/// key.
Result<CounterKeyBytes> read_or_make_key(const std::string& path, Random& random);

/// The key of the counters of these settings: `read_or_make_key` of its file, but never a new one
/// for a folder that has counters.
/// Errors: also kNotFound: the file is gone, and the counters are there.
Result<CounterKeyBytes> site_key(const CounterOptions& options, Random& random);

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
