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
/// the text is not exactly that; only empty lines may stand before it.
std::optional<std::string> decode_uuencode(std::string_view encoded, std::size_t bytes_max);

/// The decoded body; nullopt if `encoding` leaves bodies as they are or the body cannot be decoded.
std::optional<std::string> decode_body(std::string_view encoded, TransferEncoding encoding,
                                       std::size_t bytes_max);

/// Whether decode_body() has work to do.
bool is_encoded(TransferEncoding encoding);

/// The encoding that a body is really in: the declared one. rspamd 3 guesses where nothing is
/// declared, and does not believe in base64 and quoted-printable if 8-bit bytes are at the
/// beginning. Newer rspamd decodes it, as mail programs do (rspamd#5891).
TransferEncoding effective_encoding(TransferEncoding declared, std::string_view body,
                                    Compat compat);

/// The encoding of a body without a usable Content-Transfer-Encoding, as rspamd 3 guesses it:
/// kBase64, kQuotedPrintable, k8bit or k7bit. Looks at the first 128 bytes only.
TransferEncoding guess_encoding(std::string_view body);

/// Whether 8-bit bytes are at the beginning of a body, where rspamd 3 looks for them.
bool has_early_8bit(std::string_view body);

}  // namespace shingled::mime
