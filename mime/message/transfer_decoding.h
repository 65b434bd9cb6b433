#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace shingled::mime {

// Undo a Content-Transfer-Encoding. libmimetic has such codecs too, but it ends at the first "=" of
// base64 and drops trailing blanks and bad escapes of quoted-printable; hashes must see what a
// lenient reader sees, here rspamd, whose answers to odd input were found by asking it.
//
// Input:   any bytes.
// Output: at most `bytes_max` bytes, the rest is dropped.
// Errors:  none.
// Threads: stateless.
// Cost: one pass, one allocation.

/// RFC 2045 6.8: bytes outside the alphabet are skipped, missing padding is tolerated, groups may
/// follow padding.
std::string decode_base64(std::string_view encoded, std::size_t bytes_max);

/// RFC 2045 6.7: "=" + line end vanishes, an escape that is none stays as it is.
std::string decode_quoted_printable(std::string_view encoded, std::size_t bytes_max);

/// The classic Unix form: a line "begin MODE NAME", lines up to one of length 0. Nothing if the
/// text is not exactly that.
std::optional<std::string> decode_uuencode(std::string_view encoded, std::size_t bytes_max);

}  // namespace shingled::mime
