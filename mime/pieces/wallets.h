#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shingled::mime {

/// An address of Ethereum, "0x" and 40 hexadecimal digits, in lower case. In mixed case the letters
/// must be right; in one case there is nothing to check.
/// Errors:  nullopt for all other words.
/// Threads: stateless.
/// Source:  EIP-55.
std::optional<std::string> ethereum_address(std::string_view word);

/// The accounts in a text to which somebody may be asked to pay: addresses of Bitcoin and Ethereum,
/// bank accounts. The first `count_max` different ones.
/// Input:   UTF-8.
/// Threads: stateless.
/// Cost:    linear.
std::vector<std::string> find_wallets(std::string_view text, std::size_t count_max);

}  // namespace shingled::mime
