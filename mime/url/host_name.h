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

// The public suffix list. The only user of libpsl. Hosts are UTF-8 or punycode, in any case, with
// or without a final dot.
// Threads: any thread.
// Cost:    a few look-ups in memory; a thread remembers the last domains.

/// Whether `host` is below a public suffix: `example.com` is, `com`, `localhost` and
/// `example.invalid` are not. The last label decides, except for za, which has only suffixes below
/// it. As in rspamd, the dot in a suffix of two labels matches any character: `mr.eduado` is below
/// `edu.do`. (Here only before the two letters of a country.)
bool below_public_suffix(std::string_view host);

/// The registered part of `host`: `example.co.uk` of `www.example.co.uk`; the whole host if it is
/// not below a suffix. In lower case.
std::string registrable_domain(std::string_view host);

}  // namespace shingled::mime
