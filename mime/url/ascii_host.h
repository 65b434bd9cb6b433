#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shingled::mime {

/// A longer name in Unicode is not converted.
inline constexpr std::size_t kUnicodeHostBytesMax = 1024;

/// The form of a host name that DNS has: lower case, international labels in punycode, without the
/// root's dot. "BÜCHER.example." is "xn--bcher-kva.example".
///
/// Input:   UTF-8.
/// Errors:  none; a name that is not valid keeps its letters, with ASCII in lower case. The form of
///          a form is itself.
/// Threads: any.
/// Cost:    O(input); a name in ASCII is only copied.
/// Source:  UTS #46, non-transitional.
std::string ascii_host(std::string_view host);

}  // namespace shingled::mime
