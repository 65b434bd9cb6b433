#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shingled::mime {

/// The registrable domain that a link of an HTML part leads to; the whole host where it has none,
/// the digits of a telephone number.
///
/// Input:   the value of href or action, entities decoded; `base` is the domain of the document's
/// <base>, or nullptr: what is not complete leads there.
/// Errors:  nothing for what rspamd 4 keeps no URL of: relative links without a base, schemes other
/// than http, https, ftp, file, mailto, tel and callto, hosts with characters they cannot have, and
/// names without a scheme that lie below no public suffix.
/// Threads: stateless.
/// Cost: linear in the value.
std::optional<std::string> link_domain(std::string_view href, const std::string* base);

/// What a URL as find_urls() found it goes by: the registrable domain of its host, an address as it
/// is, the digits of a telephone link; empty where it has none.
/// Threads: any thread.
/// Cost: a look-up in the public suffix list.
std::string url_name(std::string_view url);

}  // namespace shingled::mime
