#pragma once

#include <string_view>

namespace shingled::mime {

/// Whether `host` (UTF-8 or punycode, any case) lies below a public suffix: `example.com` does,
/// `com`, `localhost` and `example.invalid` do not. A final dot is allowed.
///
/// Every rule of the public suffix list ends in a top level that is a suffix itself (but for za),
/// so the top levels are all it takes. Threads: any thread.   Cost: one look-up.   Source:
/// publicsuffix.org, data/top_domains.txt.
bool below_public_suffix(std::string_view host);

/// Whether `label` is a top level by itself, as a name in plain text would end.
bool is_top_domain(std::string_view label);

}  // namespace shingled::mime
