#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "config/options/storage_options.h"

namespace shingled::config {

// The content of a file that a list of the settings names. In all but `parse_keypairs` the entries
// are separated by line ends, blanks or commas, and '#' begins a comment.
//
// Errors: kInvalid, "line N: what is wrong; allowed: ...". No text of the file is quoted: it
// may be the file with the keys, named by mistake.
// Threads: stateless.

inline constexpr std::size_t kListBytesMax = 64UL * 1024 * 1024;

Result<std::vector<Network>> parse_networks(std::string_view text);
Result<std::vector<std::array<std::uint8_t, 64>>> parse_key_ids(std::string_view text);
Result<std::vector<std::array<std::uint8_t, 64>>> parse_digests(std::string_view text);
Result<std::vector<std::string>> parse_recipients(std::string_view text);
/// A list of key pairs in YAML or JSON, as `storage.keypair` has them; at most kYamlBytesMax.
Result<std::vector<Keypair>> parse_keypairs(std::string_view text);

}  // namespace shingled::config
