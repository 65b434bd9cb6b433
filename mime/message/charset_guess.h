#pragma once

#include <string_view>

namespace shingled::mime {

/// The charset of a body that does not tell it, by a sample of its bytes: the whole of a short
/// body, else a stretch of its beginning, middle and end, as rspamd takes it.
///
/// Input:   bytes that are not UTF-8. Output: a name ICU knows; "utf-8" for UTF-8 with a few
/// faults;
///          empty if the sample is plain ASCII.
/// Errors:  none.   Threads: any.   Cost: bounded, looks at 1535 bytes at most.
std::string_view guess_charset(std::string_view bytes);

}  // namespace shingled::mime
