#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "config/options/mime_options.h"

namespace shingled::mime {

/// Where the message begins that a part of multipart/digest without a Content-Type is (RFC 2046
/// 5.1.5): after the empty line that ends the part's own, usually empty header. nullopt if the
/// message has no Content field. Then all of it is plain text, and rspamd, which takes every such
/// part as text, hashes just that.
///
/// Input:   the part from its body on.
/// Errors:  none.
/// Threads: stateless.
/// Cost:    one pass over the header.
std::optional<std::size_t> begin_of_digested(std::string_view body, const MimeOptions& options);

/// `body` without the empty line at its beginning.
std::string_view without_first_break(std::string_view body);

}  // namespace shingled::mime
