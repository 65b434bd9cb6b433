#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shingled::mime {

// Addresses of Bitcoin's main network and of Ethereum whose check digits are right.
// Input:   a word of a text.
// Errors:  nullopt for all other words.
// Threads: stateless.
// Cost:    a few microseconds for a word of the right form, else a few nanoseconds.

inline constexpr std::size_t kBase58BytesMin = 26;
inline constexpr std::size_t kBase58BytesMax = 35;
inline constexpr std::size_t kBech32BytesMax = 90;

/// An address of Bitcoin's old form, "1..." or "3...", as it is: case matters.
/// Source: en.bitcoin.it/wiki/Base58Check_encoding.
std::optional<std::string> base58_address(std::string_view word);

/// An address of Bitcoin's new form, "bc1...", in lower case.
/// Source: BIP 173 (version 0), BIP 350 (other versions).
std::optional<std::string> bech32_address(std::string_view word);

/// An address of Ethereum, "0x" and 40 hexadecimal digits, in lower case. In mixed case the letters
/// must be right; in one case there is nothing to check.
/// Source: EIP-55.
std::optional<std::string> ethereum_address(std::string_view word);

/// Keccak-256 with the padding that Ethereum uses, which is not that of SHA3-256. For checksums of
/// addresses alone: it protects no secret.
/// Threads: stateless.
/// Cost:    about 1 µs per 136 bytes.
/// Source:  keccak.team/files/Keccak-reference-3.0.pdf; FIPS 202 without its domain bits.
std::array<std::uint8_t, 32> keccak256(std::string_view data);

}  // namespace shingled::mime
