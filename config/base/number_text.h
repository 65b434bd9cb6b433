#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace shingled {

/// Takes a decimal number off the front of `text`. nullopt if there is none, or one that Int cannot
/// hold; then `text` stays as it is. Only '-' is read as a sign, and only for signed types.
template <std::integral Int>
std::optional<Int> take_whole(std::string_view& text) {
  Int number = 0;
  const char* const begin = text.data();
  const auto [end, failure] = std::from_chars(begin, begin + text.size(), number);
  if (failure != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - begin));
  return number;
}

/// The decimal number that `text` is, from `least` to `most`; nullopt for anything else, also for a
/// number with blanks, '+' or other text around it.
template <std::integral Int>
std::optional<Int> parse_whole(std::string_view text,
                               std::type_identity_t<Int> least = std::numeric_limits<Int>::min(),
                               std::type_identity_t<Int> most = std::numeric_limits<Int>::max()) {
  const auto number = take_whole<Int>(text);
  return number && text.empty() && *number >= least && *number <= most ? number : std::nullopt;
}

/// The finite number that the whole `text` is, such as "-1.5" or "1e6".
std::optional<double> parse_real(std::string_view text);

/// The shortest text that parse_real gives the same number for. Only for finite numbers.
std::string shortest_text(double number);

}  // namespace shingled
