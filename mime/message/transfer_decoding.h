#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/model/mail.h"

namespace shingled::mime {

// Content-Transfer-Encodings: which one a body is in, and undoing it. libmimetic has such codecs,
// too, but stops at the first "=" of base64 and drops trailing blanks and bad escapes of
// quoted-printable. Hashes must see what rspamd sees; its answers to odd input were found by asking
// it.
//
// Input:   any bytes.
// Output:  at most `bytes_max` bytes, the rest is dropped.
// Errors:  none.
// Threads: stateless.
// Cost:    one pass, one allocation.

/// RFC 2045 6.8: skips bytes outside the alphabet, tolerates missing padding, reads on after
/// padding.
std::string decode_base64(std::string_view encoded, std::size_t bytes_max);

/// RFC 2045 6.7: drops "=" + line end, keeps invalid escapes as they are.
std::string decode_quoted_printable(std::string_view encoded, std::size_t bytes_max);

/// The classic Unix form: a line "begin MODE NAME", then lines up to one of length 0. nullopt if
/// the text is not exactly that.
std::optional<std::string> decode_uuencode(std::string_view encoded, std::size_t bytes_max);

/// The decoded body; nullopt if `encoding` leaves bodies as they are or the body cannot be decoded.
std::optional<std::string> decode_body(std::string_view encoded, TransferEncoding encoding,
                                       std::size_t bytes_max);

/// Whether decode_body() has work to do.
bool is_encoded(TransferEncoding encoding);

/// The encoding that a body is really in: the declared one, unless 8-bit bytes contradict it.
/// rspamd 3 guesses where nothing is declared.
TransferEncoding effective_encoding(TransferEncoding declared, std::string_view body,
                                    Compat compat);

/// The encoding of a body without a usable Content-Transfer-Encoding, as rspamd 3 guesses it:
/// kBase64, kQuotedPrintable, k8bit or k7bit. Looks at the first 128 bytes only.
TransferEncoding guess_encoding(std::string_view body);

/// Whether a body begins with 8-bit bytes, so that it cannot be base64 or quoted-printable.
bool has_early_8bit(std::string_view body);

}  // namespace shingled::mime
