#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "mime/fingerprint/spamsum.h"

namespace shingled::storage {

/// A known file: what it is called, which list it stands in, its signatures.
struct Sample {
  static constexpr std::size_t kListMax = 64;
  static constexpr std::size_t kNameMax = 4096;
  static constexpr std::size_t kPartsMax = std::size_t{1} << 24U;

  std::uint64_t id = 0;     ///< never used again once deleted; 0 = not stored yet
  std::string list;         ///< "bad-documents"; 1 to kListMax of [A-Za-z0-9_.-]
  std::string name;         ///< file name or path as the user gave it: any bytes, at most kNameMax
  std::uint64_t bytes = 0;  ///< size of what was signed
  fingerprint::Spamsum signature;  ///< as Spamsum::parse takes it
  /// fingerprint::spamsum_parts(data, block size of the library), at most kPartsMax; may be empty.
  std::string parts;
  std::uint32_t added = 0;  ///< Unix time
  friend bool operator==(const Sample&, const Sample&) = default;
};

/// Whether a list may have this name.
bool is_sample_list(std::string_view name);

/// What every sample must be, whoever brings it: a user, another process, a damaged file.
/// Errors: kInvalid with what is wrong.
Status check_sample(const Sample& sample);

}  // namespace shingled::storage
