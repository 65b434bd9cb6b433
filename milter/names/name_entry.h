#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "milter/names/name_form.h"

namespace shingled::milter::names {

/// The longest line of a list.
inline constexpr std::size_t kEntryBytesMax = 1024;
/// Networks with fewer bits are refused: nobody owns so much, and one wrong digit of `/24` would
/// let the whole world in.
inline constexpr int kNetworkBitsMinV4 = 8;
inline constexpr int kNetworkBitsMinV6 = 16;

/// What a value is compared with:
///
///     address   news@shop.example   news@ (at any domain)   @shop.example   .shop.example
///     domain    shop.example        .shop.example (it and all below)
///     network   192.0.2.1           192.0.2.0/24            2001:db8::/32
///     text      the whole text, without case
struct NameEntry {
  std::string text;                     ///< the normal form
  std::optional<Network> network = {};  ///< of a network
  friend bool operator==(const NameEntry&, const NameEntry&) = default;
};

/// Reads what a person wrote.
/// Errors:  kInvalid: what is wrong, and what is allowed; a domain below which everybody may
///          register names, and a network of nearly everybody, are wrong, too.
/// Threads: stateless.
Result<NameEntry> read_name_entry(const NameRow& row, std::string_view text);

}  // namespace shingled::milter::names
