#pragma once

#include <string>
#include <string_view>

namespace shingled::storage::crypto {

inline constexpr std::size_t kPasswordBytesMin = 8;
inline constexpr std::size_t kPasswordBytesMax = 1024;

/// The Argon2id hash of a password, with its salt and parameters: "$argon2id$v=19$...". Empty if
/// the memory for it is not there.
/// Cost:    64 MiB and about 0.1 s, on purpose.
/// Threads: any thread.
/// Source:  RFC 9106; the parameters are libsodium's for interactive use.
std::string hash_password(std::string_view password);

/// Whether it is the password of this hash; false also without the memory.
/// Cost: as hash_password().
bool is_password(std::string_view password, const std::string& hash);

/// Whether a text looks like a result of hash_password().
bool is_password_hash(std::string_view text);

}  // namespace shingled::storage::crypto
