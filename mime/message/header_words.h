#pragma once

#include <string>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// Turns an unfolded header value with encoded words into UTF-8 (HASHING.md section 14). `compat`
/// is the version: 3.4 does not accept an empty word, in 4.1.6 an over-padded word is empty.
///
/// Adjacent encoded words are joined as bytes before they are converted, so that a character may be
/// split between them (except in ISO-2022-JP). When the charset changes, the bytes before are
/// converted from the new charset, as in rspamd.
/// Input:   any bytes. Raw 8-bit bytes that are not UTF-8 become U+FFFD, or "?" in an invalid word.
/// Output:  UTF-8.
/// Errors:  none; a word that cannot be decoded stays as it is.
/// Threads: stateless.
/// Cost:    linear; pays for charsets to `meter` (charset.h).
/// Source:  RFC 2047, and tests with rspamd.
std::string decode_header_words(std::string_view value, Compat compat, WorkMeter& meter);

/// A Subject field as the direct hash uses it: unfolded, without leading blanks, decoded; other
/// ASCII white space becomes a space, control bytes become "?".
std::string decode_subject(std::string_view raw_value, Compat compat, WorkMeter& meter);

}  // namespace shingled::mime
