#pragma once

#include <string>
#include <string_view>

#include "config/options/hash_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// ServerSelection an unfolded header value with encoded words into UTF-8 (HASHING.md section 14;
/// `compat` picks the version: in 3.4 an empty word is none, in 4.1.6 an over-padded one is empty).
///
/// Adjacent encoded words are joined as bytes before they are converted, so that a character may be
/// cut between them (but for ISO-2022-JP); bytes before a change of charset are converted from the
/// new one, as rspamd does.
/// Input:   any bytes; raw 8-bit that is not UTF-8 becomes U+FFFD, "?" in what looks like a word
/// and is none.
/// Output: UTF-8.
/// Errors: none, a word that cannot be decoded stays as it is.
/// Threads: stateless.
/// Cost: linear; `meter` is paid for charsets (charset.h).
/// Source:  RFC 2047, and what rspamd answered.
std::string decode_header_words(std::string_view value, Compat compat, WorkMeter& meter);

/// A Subject header as the direct hash sees it: unfolded, leading blanks removed, decoded, other
/// ASCII whitespace as a space and control bytes as "?".
std::string decode_subject(std::string_view raw_value, Compat compat, WorkMeter& meter);

}  // namespace shingled::mime
