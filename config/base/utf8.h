#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace shingled {

struct Utf8Letter {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

/// The letter at the front of `text`. nullopt if the text is empty or does not begin with a
/// well-formed sequence: overlong forms, surrogates and codes above U+10FFFF are not well-formed.
/// Source: RFC 3629.
std::optional<Utf8Letter> first_utf8_letter(std::string_view text);

}  // namespace shingled
