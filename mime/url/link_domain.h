#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shingled::mime {

/// The target of a link in HTML: its registrable domain, the whole host without one, or the digits
/// of a telephone number.
///
/// Input:   the value of href or action with entities decoded. `base` is the domain of the <base>
///          of the document, which relative links lead to, or nullptr.
/// Errors:  nullopt where rspamd 4 does not keep a URL: relative links without a base, schemes
///          other than http, https, ftp, file, mailto, tel and callto, invalid hosts, and names
///          without a scheme that are not below a public suffix.
/// Threads: stateless.
/// Cost:    linear in the value.
std::optional<std::string> link_domain(std::string_view href, const std::string* base);

/// A short name of a URL that find_urls() found: the registrable domain of its host, an IP address,
/// or the digits of a telephone link; empty for other URLs.
/// Threads: any thread.
/// Cost:    a look-up in the public suffix list.
std::string url_name(std::string_view url);

}  // namespace shingled::mime
