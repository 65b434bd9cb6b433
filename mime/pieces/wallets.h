#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// The bank account at the front of `text`, in capitals and without spaces: the length of its
/// country and right check digits. A letter or digit must not follow it.
/// Errors:  nullopt if there is none.
/// Threads: stateless.
/// Cost:    constant.
/// Source:  ISO 13616; the lengths are those of the SWIFT IBAN registry.
std::optional<std::string> leading_iban(std::string_view text);

/// The accounts in a text to which somebody may be asked to pay: addresses of Bitcoin and Ethereum,
/// bank accounts. The first `count_max` different ones.
/// Input:   UTF-8.
/// Threads: stateless.
/// Cost:    linear.
std::vector<std::string> find_wallets(std::string_view text, std::size_t count_max);

}  // namespace shingled::mime
