#pragma once

#include <cstdint>

#include "config/options/hash_options.h"

namespace shingled {

/// Bounds on what one message may cost, and how its texts become words. What lies beyond a bound is
/// left out of the analysis and noted as a defect; it is never an error.
struct MimeOptions {
  std::uint32_t depth_max = 64;                     ///< nesting of multiparts and messages
  std::uint32_t parts_max = 10'000;                 ///< parts of one message
  std::uint64_t header_bytes_max = 256 * 1024;      ///< one header block
  std::uint64_t header_line_bytes_max = 64 * 1024;  ///< one unfolded header field
  std::uint64_t part_bytes_max = 16 * 1024 * 1024;  ///< decoded body of one part
  std::uint64_t text_bytes_max = 1024 * 1024;       ///< visible text of one part
  std::uint32_t words_max = 100'000;                ///< words of one part
  std::uint32_t html_tags_max = 8192;               ///< elements; the rest is read as text
  Compat compat = Compat::kRspamd4;
  WordForm word_form = WordForm::kPosix;

  friend bool operator==(const MimeOptions&, const MimeOptions&) = default;
};

}  // namespace shingled
