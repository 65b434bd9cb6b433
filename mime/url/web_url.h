#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "config/base/ascii.h"
#include "config/options/hash_options.h"

namespace shingled::mime {

/// How far a URL reaches in a text, and its host as it stands there. Offsets count from the start
/// of the URL.
struct WebUrl {
  std::string_view scheme;      ///< as written; empty for `www.example.com`
  std::string_view host;        ///< without brackets
  std::size_t host_end = 0;     ///< behind host and port
  bool has_path = false;        ///< `/ ? #` or a backslash follows; the caller knows where it ends
  bool bracketed_host = false;  ///< [IPv6]
  bool has_user = false;        ///< `user@` or `user:password@` is in front of the host
};

enum class UrlStart : std::uint8_t { kScheme, kAuthority };

/// Reads scheme, user, host and port at the start of `text`.
///
/// Input:   from where a URL may begin to the last byte it may have.
/// Errors: nothing where a web URL cannot be read.
/// Threads: stateless.
/// Cost: bounded, at most some 700 bytes are looked at.
/// Source:  HASHING.md 9, step 6.
std::optional<WebUrl> read_web_url(std::string_view text, UrlStart start);

/// Whether a host can exist: below a public suffix or an address (HASHING.md 9, step 7).
bool is_plausible_host(const WebUrl& url, Compat compat);

/// What may stand in a mail address before the `@`.
inline constexpr ascii::CharSet kMailUser(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"#$%'*+,-./\\^_{|}~");

/// Whether `c` ends a URL or opens a place where one may start.
bool ends_url(char c);   ///< ) } ] > '
bool opens_url(char c);  ///< ( { [ < '

}  // namespace shingled::mime
