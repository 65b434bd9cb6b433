#pragma once

#include <string_view>

#include "milter/view/json.h"
#include "mime/analyze.h"

namespace shingled::milter::view {

/// What became of a message on its way to hashes, stage by stage, for people who ask why two
/// hashes differ.
///
/// Output:  {"file", "subject", "parts": [one object a text part]}. A part has `part` (number in
/// the walk), `path`, `type`, `charset`, `is_html`, `utf8` (it has a text at all), `language`,
/// `language_by`, `content`, `oneline`, `exceptions` [offset, length, kind, token], `tokens` (a
/// string where original, normal form and stem agree, else [original, normal, stem, mark]), their
/// counts and the SHA-256 of `oneline` and of the hashed stems joined by line feeds.
/// Errors:  none; bytes that are no UTF-8 become U+FFFD when the object is printed.
/// Threads: stateless.
/// Cost: normal forms and stems are made once more.
Json stages_json(std::string_view file, const mime::Analysis& analysis);

}  // namespace shingled::milter::view
