#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

inline constexpr std::size_t kAuthResultsBytesMax = 16UL * 1024;  ///< the rest is not read
inline constexpr std::size_t kAuthResultsMax = 32;                ///< of a field
inline constexpr std::size_t kAuthPropertiesMax = 16;             ///< of a result

/// What a server found out by one method.
struct AuthResult {
  struct Property {
    std::string name;   ///< "header.d", lower case
    std::string value;  ///< as written, without quotes
    friend bool operator==(const Property&, const Property&) = default;
  };
  std::string method;  ///< "dkim" "spf" "dmarc" ..., lower case
  std::string result;  ///< "pass" "fail" "none" ..., lower case
  std::vector<Property> properties;

  /// The value of a property; nullopt without one, or if there are several that differ.
  [[nodiscard]] std::optional<std::string_view> property(std::string_view name) const;
  friend bool operator==(const AuthResult&, const AuthResult&) = default;
};

/// A field Authentication-Results.
struct AuthenticationResults {
  std::string server;  ///< authserv-id, lower case
  std::vector<AuthResult> results;
  friend bool operator==(const AuthenticationResults&, const AuthenticationResults&) = default;
};

/// Reads such a field. Comments and folds may be anywhere, values may be quoted; a result that is
/// not complete is left out, and words of Microsoft's like `action=none` are no properties.
///
/// Input:   the raw value.
/// Errors:  nullopt without a server, or with another version than 1.
/// Threads: stateless.
/// Cost:    linear.
/// Source:  RFC 8601 2.2.
std::optional<AuthenticationResults> read_authentication_results(std::string_view value);

}  // namespace shingled::mime
