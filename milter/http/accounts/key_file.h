#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "milter/http/accounts/rights.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::milter::http {

/// A program that may use the service: a line of `http.keys_file`.
struct ProgramKey {
  std::string name;  ///< letters, digits, '-', '_', '.', at most 64
  Role role = Role::kRead;
  Digest digest{};  ///< of the key; the key itself is nowhere

  friend bool operator==(const ProgramKey&, const ProgramKey&) = default;
};

/// The key of a new program: 256 random bits as text, to be shown once.
struct NewKey {
  std::string text;
  Digest digest{};
};

inline constexpr std::size_t kKeyFileBytesMax = 1024UL * 1024;
inline constexpr std::size_t kKeysMax = 1000;

/// Reads lines `NAME ROLE DIGEST`; empty ones and those that begin with '#' do not count.
/// Errors:  kInvalid, with `path`, the line and what is wrong; never a digest.
/// Threads: stateless.
Result<std::vector<ProgramKey>> parse_keys(std::string_view text, const std::string& path);
std::string keys_text(std::span<const ProgramKey> keys);

/// Whether it may be the name of a key or a person.
bool is_account_name(std::string_view name);

/// Of the key that a client sends.
Digest key_digest(std::string_view key);
NewKey key_from(std::span<const std::uint8_t, 32> random);

/// The entry of a key; nullptr without one.
/// Cost: 1 µs and some ns for each entry, whether or not it is one of them.
const ProgramKey* find_key(std::span<const ProgramKey> keys, std::string_view key);

}  // namespace shingled::milter::http
