#pragma once

#include <string>
#include <string_view>

namespace shingled::mime {

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
