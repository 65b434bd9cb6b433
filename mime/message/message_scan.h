#pragma once

#include <string_view>

#include "config/options/mime_options.h"
#include "mime/model/mail.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Takes a message apart into its tree of parts and undoes their transfer encodings.
///
/// A body runs to the start of the delimiter line behind it, so the line break before the delimiter
/// belongs to it; a part that begins with an empty line has no header and keeps that line. Nested
/// messages are walked like the message itself. HASHING.md section 5 has the details.
///
/// Parts without a body are left out.
///
/// Input:   raw bytes of any quality; they must outlive the result.
/// Errors:  none; what is malformed or beyond a bound is noted in Mail::defects.
/// Threads: stateless.
/// Cost: paid to `meter`; memory for decoded bodies and names, neither of which have more bytes
/// than the message, and some 500 bytes a part; no recursion.
Mail scan_message(std::string_view message, const MimeOptions& options, WorkMeter& meter);

}  // namespace shingled::mime
