#pragma once

#include <string>
#include <string_view>

namespace shingled::mime {

// The public suffix list, by libpsl, which nobody else sees. Hosts are UTF-8 or punycode, in any
// case; a final dot is allowed.
// Threads: any thread.
// Cost: a few look-ups in memory.

/// Whether `host` lies below a public suffix: `example.com` does, `com`, `localhost` and
/// `example.invalid` do not. The last label decides, but for za, which has suffixes below it only.
/// As in rspamd the dot inside a suffix of two labels stands for any character: `mr.eduado` lies
/// below `edu.do`. (Here only before a country's two letters.)
bool below_public_suffix(std::string_view host);

/// The part of `host` its owner has registered: `example.co.uk` of `www.example.co.uk`; the whole
/// host where it lies below no suffix. In lower case.
std::string registrable_domain(std::string_view host);

}  // namespace shingled::mime
