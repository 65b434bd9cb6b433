#pragma once

#include <cstdint>

#include "config/options/hash_options.h"

namespace shingled {

/// Section `mime`: limits on the cost of one message, and how its texts become words. Content
/// beyond a limit is left out and noted as a defect; it is never an error.
struct MimeOptions {
  std::uint32_t depth_max = 64;                   ///< nesting of multiparts and messages, 1 to 1000
  std::uint32_t parts_max = 10'000;               ///< parts of one message, 1 to 1000000
  std::uint64_t header_bytes_max = 256UL * 1024;  ///< one header block; not in the file
  std::uint64_t header_line_bytes_max =
      64UL * 1024;  ///< one unfolded header field; not in the file
  std::uint64_t part_bytes_max = 16UL * 1024 * 1024;  ///< decoded body of one part, 1K to 1G
  std::uint64_t text_bytes_max = 1UL * 1024 * 1024;   ///< visible text of one part, 1K to 64M
  std::uint32_t words_max = 100'000;                  ///< words of one part; not in the file
  std::uint32_t html_tags_max = 8192;  ///< elements; the rest is read as text; not in the file
  /// Steps of work on one message, a nanosecond each on a fast machine, 1000000 to 1000000000000;
  /// a short message may use less: 150000000 for each megabyte or part of one.
  std::uint64_t work_max = 1'000'000'000;
  Compat compat = Compat::kRspamd4;
  WordForm word_form = WordForm::kPosix;

  friend bool operator==(const MimeOptions&, const MimeOptions&) = default;
};

}  // namespace shingled
