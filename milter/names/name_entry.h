#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "config/system/socket_address.h"
#include "milter/features/feature.h"

namespace shingled::milter::names {

using features::Name;
using features::NameRow;

/// The normal form of a value of that form: an address with small letters and the domain as DNS has
/// it, but with its `+tag`; a domain as DNS has it; a text in small letters with single spaces. Of
/// an address of a network: as it is. Empty if there is nothing.
/// Threads: stateless.
/// Cost:    linear.
std::string name_form(NameRow::Form form, std::string_view value);

/// The part after the last '@'; empty without one.
std::string_view domain_part(std::string_view address);

/// Whether everybody may register names below it: `com`, `co.uk`, `github.io`.
bool is_public_suffix(const std::string& domain);

/// What an address is looked for as: itself, and without the marks that differ from message to
/// message (mime/pieces/mail_address.h), of which `+tag` is one.
std::vector<std::string> forms_of_address(const std::string& address);

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
