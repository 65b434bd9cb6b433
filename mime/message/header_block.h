#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/model/mail.h"

namespace shingled::mime {

/// The header of a message or part, cut from its front.
struct HeaderBlock {
  std::vector<HeaderField> fields;
  std::size_t body_begin = 0;  ///< behind the empty line
  bool ended = false;          ///< an empty line was found; if not, there is no header at all
  bool truncated = false;      ///< beyond a bound of MimeOptions, so some fields are missing or cut
};

/// Cuts the header off `bytes`.
///
/// Input:   any bytes. A line that is neither a field nor a continuation is skipped.
/// Errors:  none.
/// Threads: stateless.
/// Cost: linear; fields are views.
/// Source:  RFC 5322 2.2, with lone CR or LF as a line break.
HeaderBlock split_header_block(std::string_view bytes, const MimeOptions& options);

/// The value with each line break and the blanks after it as one space (RFC 5322 2.2.3).
std::string unfold(std::string_view value);

}  // namespace shingled::mime
