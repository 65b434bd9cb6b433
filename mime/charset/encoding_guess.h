#pragma once

#include <string_view>

#include "mime/model/mail.h"

namespace shingled::mime {

/// What a body without a usable Content-Transfer-Encoding looks like, as rspamd 3 guesses it:
/// base64, quoted-printable or (k8bit, k7bit) none. Looks at the first 128 bytes only.
/// Errors: none.
/// Threads: stateless.
TransferEncoding guess_encoding(std::string_view body);

/// Whether a body cannot be what base64 or quoted-printable produce: it begins with 8-bit bytes.
bool has_early_8bit(std::string_view body);

}  // namespace shingled::mime
