#pragma once

#include <string_view>

namespace shingled::mime {

/// The converter for a label that no mail standard defines but senders use, as browsers and rspamd
/// read it: "x-gbk", "sjis", "euc-cn", "uhc". Labels that ICU knows by a standard name keep ICU's
/// meaning and are asked of it first, so that hashes stay rspamd's.
///
/// Input:   a label in lower case, without blanks around it.
/// Output:  a name that ICU opens; empty if the label is unknown. "x-user-defined" and
///          "replacement" are not there: they say nothing about the text, so it is guessed.
/// Errors:  none.
/// Threads: stateless.
/// Cost:    a binary search.
/// Source:  WHATWG Encoding Standard 4.2; the labels that rspamd adds.
std::string_view converter_of_label(std::string_view label);

}  // namespace shingled::mime
