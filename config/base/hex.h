#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/byte_reader.h"

namespace shingled {

/// Appends the two lower-case digits of a byte.
void append_hex(std::string& out, std::uint8_t byte);
/// Lower-case hexadecimal, two digits a byte.
std::string to_hex(BytesView bytes);
/// The bytes of hexadecimal text in either case; nullopt for an odd length or any other character.
std::optional<Bytes> from_hex(std::string_view text);

}  // namespace shingled
