#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shingled::mime {

/// The bank account at the front of `text`, in capitals and without spaces: the length of its
/// country and right check digits. A letter or digit must not follow it.
/// Errors:  nullopt if there is none.
/// Threads: stateless.
/// Cost:    constant.
/// Source:  ISO 13616; the lengths are those of the SWIFT IBAN registry.
std::optional<std::string> leading_iban(std::string_view text);

}  // namespace shingled::mime
