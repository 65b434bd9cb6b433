#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "config/options/mime_options.h"
#include "mime/model/mail.h"
#include "mime/model/work_meter.h"

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

// Opaque-signed parts (S/MIME, "smime.p7m"): the text is inside the signature.

/// The contents of all signed parts together are at most this many times the size of the message.
/// Base64 in base64 shrinks by a quarter each time, so it is enough for four signatures around all.
inline constexpr std::size_t kSignedShareMax = 2;

/// Opens part `index` if it is signed: by its type, as rspamd does, or by its file name, as mail
/// programs do, too. Sets MailPart::holds_signed.
///
/// Input:   a part whose body is decoded.
/// Output:  the entity inside, header and body, at most `room` bytes; a view into the body of the
///          part or Mail::decoded. Empty if there is none.
/// Errors:  none; what is malformed or exceeds a limit is a defect of `mail`.
/// Threads: stateless.
/// Cost:    linear in the body, paid to `meter`.
std::string_view open_signed_part(Mail& mail, std::uint32_t index, const MimeOptions& options,
                                  std::size_t room, WorkMeter& meter);

/// Whether rspamd does not see the children of `above`: it opens no file that is only named like a
/// signed part, and finds no delimiters in a signed content (`in_signed`).
bool is_foreign_below(const MailPart& above, bool in_signed);

}  // namespace shingled::mime
