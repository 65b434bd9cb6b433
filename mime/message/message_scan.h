#pragma once

#include <string_view>

#include "config/options/mime_options.h"
#include "mime/model/mail.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Takes a message apart into its tree of parts and decodes their transfer encodings.
///
/// A body ends at the start of the next delimiter line, so the line break before the delimiter
/// belongs to the body. A part that begins with an empty line has no header and keeps that line.
/// Nested messages are walked like the message itself. Parts without a body are left out.
/// HASHING.md section 5 has the details.
///
/// Input:   raw bytes, possibly malformed; they must outlive the result.
/// Errors:  none; malformations and reached limits are in Mail::defects.
/// Threads: stateless.
/// Cost:    paid to `meter`; no recursion.
/// Memory:  decoded bodies and names, each at most the size of the message, and about 500 bytes a
///          part.
Mail scan_message(std::string_view message, const MimeOptions& options, WorkMeter& meter);

}  // namespace shingled::mime
