#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "config/base/ascii.h"
#include "config/options/hash_options.h"

namespace shingled::mime {

/// The parts of a URL, as views of the text. Offsets count from the start of the URL.
struct WebUrl {
  std::string_view scheme;      ///< as written; empty for `www.example.com`
  std::string_view host;        ///< without brackets
  std::size_t host_end = 0;     ///< end of host and port
  bool has_path = false;        ///< `/ ? #` or a backslash follows; the caller finds its end
  bool bracketed_host = false;  ///< [IPv6]
  bool has_user = false;        ///< `user@` or `user:password@` precedes the host
};

enum class UrlStart : std::uint8_t { kScheme, kAuthority };

/// Reads scheme, user, host and port at the start of `text`.
///
/// Input:   from the possible start of a URL to its last possible byte.
/// Errors:  nullopt if this is not a valid web URL.
/// Threads: stateless.
/// Cost:    looks at about 700 bytes at most.
/// Source:  HASHING.md 9, step 6.
std::optional<WebUrl> read_web_url(std::string_view text, UrlStart start);

/// Whether a host is below a public suffix or an IP address (HASHING.md 9, step 7).
bool is_plausible_host(const WebUrl& url, Compat compat);

/// What may stand in a mail address before the `@`.
inline constexpr ascii::CharSet kMailUser(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"#$%'*+,-./\\^_{|}~");

/// Whether `c` ends a URL or opens a place where one may start.
bool ends_url(char c);   ///< ) } ] > '
bool opens_url(char c);  ///< ( { [ < '

}  // namespace shingled::mime
