#pragma once

#include <string_view>

#include "config/options/mime_options.h"
#include "mime/message/mail.h"

namespace shingled::mime {

/// Takes a message apart into its tree of parts and undoes their transfer encodings.
///
/// A body runs to the start of the delimiter line behind it, so the line break before the delimiter
/// belongs to it; a part that begins with an empty line has no header and keeps that line. Nested
/// messages are walked like the message itself. hashing.md section 5 has the details.
///
/// Input:   raw bytes of any quality; they must outlive the result.
/// Errors:  none; what is malformed or beyond a bound of `options` is noted in Mail::defects.
/// Threads: stateless.   Cost: linear in the bytes for each level of nested message that is
/// encoded;
///          no recursion.
Mail scan_message(std::string_view message, const MimeOptions& options);

}  // namespace shingled::mime
