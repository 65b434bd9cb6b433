#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "mime/model/mail.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

// Structured header fields. The only user of libmimetic, which parses their pieces. What it gets
// wrong is handled here first: it splits parameters at a ";" inside quotes, keeps comments, and
// does not know RFC 2231. Its time is quadratic in the length of a field, so fields are cut at
// kFieldBytesMax.
//
// Input:   the raw value of a field, folded or not.
// Errors:  none.
// Threads: stateless.
// Cost:    linear, except libmimetic's part; `meter` pays for charsets (charset.h).

inline constexpr std::size_t kFieldBytesMax = 8UL * 1024;
inline constexpr std::size_t kParametersMax = 64;

/// Content-Type; nullopt without a type. A lone "html" is text/html; other types may lack a
/// subtype.
std::optional<MediaType> parse_media_type(std::string_view value, WorkMeter& meter);

Disposition parse_disposition(std::string_view value, WorkMeter& meter);

TransferEncoding parse_transfer_encoding(std::string_view value);

/// Reads the fields that say what the body of `part` is. Of several Content-Types a multipart wins,
/// then the first; of the other fields the first counts. A field that `meter` refuses is skipped.
void read_content_fields(std::span<const HeaderField> fields, MailPart& part, WorkMeter& meter);

}  // namespace shingled::mime
