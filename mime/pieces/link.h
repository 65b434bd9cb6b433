#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace shingled::mime {

/// The rest of a longer link is not read.
inline constexpr std::size_t kLinkBytesMax = 2048;

/// Where a link leads, without user, port and fragment.
struct Link {
  std::string scheme;  ///< lower case
  std::string host;    ///< in the form of ascii_host(), or a dotted IPv4 or an IPv6 address
  std::string path;    ///< without dot segments, percent escapes decoded once; begins with a slash
  std::string query;   ///< as written, without the question mark

  /// "https://www.example.org/a/b": without the query, which differs from mail to mail.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string domain() const;  ///< "example.org"; an IP address itself
  /// "www.example.org/a": tells the customers of a hoster apart. Empty without a step.
  [[nodiscard]] std::string first_step() const;
  friend bool operator==(const Link&, const Link&) = default;
};

/// Reads a link of a text or the href of HTML with its entities decoded. White space in it is
/// nothing, as for browsers. Without a scheme it is relative to `base`; if that is null it must
/// begin with two slashes or with `www.`.
///
/// Errors:  nullopt for relative links without a base, other schemes than http, https and ftp, hosts
///          that are not valid, and hosts that may be longer than kLinkBytesMax.
/// Threads: stateless.
/// Cost:    linear in kLinkBytesMax.
std::optional<Link> read_link(std::string_view url, const Link* base = nullptr);

/// How the links of one program look, whatever host they lead to: steps of the path and names of
/// the query. Each run of digits is one 0; a step or name of 16 bytes and more with letters and
/// digits, or of 24 and more with capitals after its first letter, is `*`.
/// "http://a.example/cl/29_md/3/7?u=1" has "/cl/0_md/0/0?u".
///
/// Output:  empty for links of fewer than three steps and names, and of steps that are all alike
///          (0 and `*`): they say too little.
/// Threads: stateless.
/// Cost:    linear in the link.
std::string link_shape(const Link& link);

}  // namespace shingled::mime
