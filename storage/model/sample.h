#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::storage {

/// A known file: its name, its list and its signatures.
struct Sample {
  static constexpr std::size_t kListMax = 64;
  static constexpr std::size_t kNameMax = 4096;
  static constexpr std::size_t kPartsMax = std::size_t{1} << 24U;

  std::uint64_t id = 0;     ///< not used again after a delete; 0 = not stored yet
  std::string list;         ///< "bad-documents"; 1 to kListMax of [A-Za-z0-9_.-]
  std::string name;         ///< file name or path as the user gave it: any bytes, at most kNameMax
  std::uint64_t bytes = 0;  ///< size of the signed data
  fingerprint::Spamsum signature;  ///< valid for Spamsum::parse
  /// fingerprint::spamsum_parts(data, block size of the library), at most kPartsMax; may be empty.
  std::string parts;
  std::uint32_t added = 0;  ///< Unix time
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// Whether this is a valid name of a list.
bool is_sample_list(std::string_view name);

/// Checks a sample from any source: a user, another process, a file that may be damaged.
/// Errors: kInvalid with the reason.
Status check_sample(const Sample& sample);

}  // namespace shingled::storage
