#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shingled::mime {

/// Where a link of an HTML part leads.
struct LinkTarget {
  std::string url;        ///< completed and without white space
  std::string domain;     ///< the registrable domain; the host or number where it has none
  bool has_path = false;  ///< something follows the host
};

/// Reads the value of a href or action attribute.
///
/// Input:   the value, entities decoded; `base` is the target of the document's <base>, or nullptr.
/// Errors:  nothing for what rspamd 4 keeps no URL of: relative links without a base, schemes other
/// than http, https, ftp, file, mailto, tel and callto, hosts with characters they cannot have, and
/// names without a scheme that lie below no public suffix.
/// Threads: stateless.   Cost: linear in the value and the base.
std::optional<LinkTarget> read_link(std::string_view href, const LinkTarget* base);

}  // namespace shingled::mime
