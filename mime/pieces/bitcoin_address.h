#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace shingled::mime {

// Addresses of Bitcoin's main network whose check digits are right.
// Input:   a word of a text.
// Errors:  nullopt for all other words.
// Threads: stateless.
// Cost:    a few microseconds for a word of the right form, else a few nanoseconds.

inline constexpr std::size_t kBase58BytesMin = 26;
inline constexpr std::size_t kBase58BytesMax = 35;
inline constexpr std::size_t kBech32BytesMax = 90;

/// An address of the old form, "1..." or "3...", as it is: case matters.
/// Source: en.bitcoin.it/wiki/Base58Check_encoding.
std::optional<std::string> base58_address(std::string_view word);

/// An address of the new form, "bc1...", in lower case.
/// Source: BIP 173 (version 0), BIP 350 (other versions).
std::optional<std::string> bech32_address(std::string_view word);

}  // namespace shingled::mime
