#include "milter/http/accounts/key_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "config/base/ascii.h"
#include "config/base/hex.h"
#include "config/base/zbase32.h"
#include "milter/http/accounts/account_lines.h"
#include "mime/fingerprint/keyed_hash.h"

namespace shingled::milter::http {

namespace {

constexpr std::size_t kAccountNameBytesMax = 64;
constexpr std::size_t kKeyBytesMax = 256;
constexpr std::string_view kKeyPrefix = "shk_";

/// The next word, taken off the front.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

Result<ProgramKey> parse_line(std::string_view line) {
  ProgramKey key;
  key.name = next_word(line);
  const std::string_view role_text = next_word(line);
  const auto digest = from_hex(next_word(line));
  if (role_text.empty() || !digest || digest->size() != kDigestBytes || !next_word(line).empty()) {
    return Error{ErrorCode::kInvalid,
                 "is not a line of `shingled key add`: a name, a role and a digest"};
  }
  if (!is_account_name(key.name)) {
    return Error{ErrorCode::kInvalid,
                 "the name has characters other than letters, digits, - _ . @"};
  }
  const auto role = parse_role(role_text);
  if (!role || *role == Role::kOff)
    return Error{ErrorCode::kInvalid, fmt::format("the role must be {}", kRolesText)};
  key.role = *role;
  std::copy(digest->begin(), digest->end(), key.digest.bytes.begin());
  return key;
}

}  // namespace

bool is_account_name(std::string_view name) {
  return !name.empty() && name.size() <= kAccountNameBytesMax &&
         std::ranges::all_of(name, [](char c) {
           return ascii::is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '@';
         });
}

Result<std::vector<ProgramKey>> parse_keys(std::string_view text, const std::string& path) {
  return parse_accounts(text, path, kKeysMax, "keys", parse_line);
}

std::string keys_text(std::span<const ProgramKey> keys) {
  std::string out =
      "# Keys of programs for http.listen, written by `shingled key`: name, role, digest.\n";
  for (const ProgramKey& key : keys)
    out += fmt::format("{} {} {}\n", key.name, to_string(key.role), to_hex(key.digest.bytes));
  return out;
}

Digest key_digest(std::string_view key) {
  return fingerprint::keyed_hash({}, {key.substr(0, kKeyBytesMax + 1)});
}

NewKey key_from(std::span<const std::uint8_t, 32> random) {
  NewKey out;
  out.text = std::string(kKeyPrefix) + to_zbase32(random);
  out.digest = key_digest(out.text);
  return out;
}

const ProgramKey* find_key(std::span<const ProgramKey> keys, std::string_view key) {
  const Digest wanted = key_digest(key);
  const ProgramKey* found = nullptr;
  // All bytes of all keys, so that the time does not tell how much of a key is right.
  for (const ProgramKey& one : keys) {
    unsigned differ = 0;
    for (std::size_t i = 0; i < wanted.bytes.size(); ++i)
      differ |= static_cast<unsigned>(one.digest.bytes[i] ^ wanted.bytes[i]);
    if (differ == 0) found = &one;
  }
  return found;
}

}  // namespace shingled::milter::http
