#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/system/socket_address.h"

namespace shingled::config {

// One entry of a list, in the settings or in a file of its own. nullopt if the text is not a valid
// entry.
// Threads: stateless.

inline constexpr std::string_view kNetworkForm =
    "an IP address, a network such as 192.0.2.0/24, or localhost";
inline constexpr std::string_view kKeyIdForm = "the ID of a key: 64 bytes in z-base-32 or hex";
inline constexpr std::string_view kDigestForm = "a digest: 128 hexadecimal digits";
inline constexpr std::string_view kRecipientForm =
    "a local part, user@domain or @domain, at most 320 printable ASCII characters";

/// `localhost` is more than one network.
std::optional<std::vector<Network>> network_word(std::string_view word);
/// The long ID of a key, which is 103 characters in rspamd's z-base-32.
std::optional<std::array<std::uint8_t, 64>> key_id_word(std::string_view word);
std::optional<std::array<std::uint8_t, 64>> digest_word(std::string_view word);
/// A pattern of recipients, in lower case: a local part, an address or a domain.
std::optional<std::string> recipient_word(std::string_view word);

}  // namespace shingled::config
