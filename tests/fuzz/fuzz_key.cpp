// The text of keys, from an admin or from elsewhere: one key, a list file of key IDs, networks or
// digests, a key file, and the same as the value of `storage.keypair`. A key that was read is
// printed as a text that is read as the same key. No error shows a part of a possible key.
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/hex.h"
#include "config/base/zbase32.h"
#include "config/list_file.h"
#include "config/load_settings.h"
#include "storage/crypto/keypair.h"

using namespace shingled;

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

/// Runs that are long enough to be 32 bytes in one of our encodings; base64 is the shortest.
std::vector<std::string_view> key_like(std::string_view text) {
  constexpr std::size_t kKeyCharactersMin = 43;
  const auto belongs = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '/';
  };
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    std::size_t end = begin;
    while (end < text.size() && belongs(text[end])) ++end;
    if (end - begin >= kKeyCharactersMin) out.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return out;
}

/// The text shows no part of a key that is longer than any of our own words.
void expect_discreet(std::string_view message, const std::vector<std::string_view>& keys) {
  constexpr std::size_t kPart = 16;
  for (const std::string_view key : keys) {
    for (std::size_t at = 0; at + kPart <= message.size(); ++at) {
      expect(key.find(message.substr(at, kPart)) == std::string_view::npos);
    }
  }
}

// ---- one word -----------------------------------------------------------------------------------

void try_word(std::string_view text) {
  const BytesView bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  const auto back = from_zbase32(to_zbase32(bytes));
  expect(back && *back == Bytes(bytes.begin(), bytes.end()));
  if (const auto key = from_zbase32(text)) expect(to_zbase32(*key) == text);
  if (const auto key = from_hex(text)) expect(from_hex(to_hex(*key)) == key);
}

// ---- list files ---------------------------------------------------------------------------------

template <typename Parse, typename Print>
void try_list(std::string_view text, const std::vector<std::string_view>& keys, Parse parse,
              Print print) {
  const auto list = parse(text);
  if (!list) return expect_discreet(list.error().message, keys);
  std::string again;
  for (const auto& entry : *list) again += print(entry) + '\n';
  const auto same = parse(again);
  expect(same && *same == *list);
}

// ---- key pairs ----------------------------------------------------------------------------------

std::string yaml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f || c == '"' || c == '\\') {
      constexpr std::string_view kDigits = "0123456789abcdef";
      out += "\\x";
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string real(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string day(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[40];
  return {text, std::strftime(text, sizeof text, "%d-%m-%Y", &local)};
}

std::string print(const KeyRights& rights) {
  std::string out = "{name: " + yaml_text(rights.name) + ", allowed_ops: [";
  if (rights.may_read) out += "read, ";
  if (rights.may_write) out += "write, ";
  if (rights.may_delete) out += "delete";
  out += ']';
  if (rights.forbidden_ids) {
    out += ", forbidden_ids: [";
    for (const unsigned flag : *rights.forbidden_ids) out += std::to_string(flag) + ", ";
    out += ']';
  }
  if (rights.ratelimit) {
    out += ", ratelimit: [" + real(rights.ratelimit->burst) + ", " + real(rights.ratelimit->rate);
    out += ']';
  }
  if (rights.expire) out += ", expire: " + day(*rights.expire);
  return out + '}';
}

std::string secret_of(const Keypair& keypair) {
  return to_zbase32({keypair.secret_key.reveal(), SecretKey::size()});
}

std::string print(const std::vector<Keypair>& keypairs) {
  std::string out = "[";
  for (const Keypair& pair : keypairs) {
    out += "{pubkey: " + to_zbase32(pair.public_key) + ", privkey: " + secret_of(pair) +
           ", extensions: " + print(pair.rights) + "}, ";
  }
  return out + ']';
}

void expect_same(const std::vector<Keypair>& a, const std::vector<Keypair>& b) {
  expect(a == b);  // public keys and rights
  for (std::size_t i = 0; i < a.size(); ++i) expect(secret_of(a[i]) == secret_of(b[i]));
}

void try_keyring(const std::vector<Keypair>& keypairs) {
  const auto ring = storage::crypto::Keyring::make(keypairs);
  if (ring) {
    for (const Keypair& pair : keypairs) {
      const Keypair* found = ring->find(storage::crypto::key_id(pair.public_key));
      expect(found != nullptr && *found == pair);
    }
    return;
  }
  for (const Keypair& pair : keypairs) {
    expect(ring.error().message.find(secret_of(pair)) == std::string::npos);
    // The value of the public key may be the private key, if the pair was swapped.
    if (storage::crypto::public_key_of(pair.secret_key) == pair.public_key) continue;
    expect(ring.error().message.find(to_zbase32(pair.public_key)) == std::string::npos);
  }
}

void try_key_file(std::string_view text, const std::vector<std::string_view>& keys) {
  const auto keypairs = config::parse_keypairs(text);
  if (!keypairs) return expect_discreet(keypairs.error().message, keys);
  const auto again = config::parse_keypairs(print(*keypairs));
  expect(again.has_value());
  expect_same(*again, *keypairs);
  try_keyring(*keypairs);
}

/// The same text, indented by one level, as the value of `storage.keypair`.
void try_settings(std::string_view text, const std::vector<std::string_view>& keys) {
  std::string yaml = "storage:\n  keypair:\n    ";
  for (const char c : text) {
    yaml += c;
    if (c == '\n') yaml += "    ";
  }
  const config::Loaded loaded = config::load_settings(yaml, "fuzz");
  for (const config::Problem& problem : loaded.problems) expect_discreet(problem.to_string(), keys);
  if (loaded.settings == nullptr) return;
  const auto& keypairs = loaded.settings->storage.server.keypair;
  const auto again = config::parse_keypairs(print(keypairs));
  expect(again.has_value());
  expect_same(*again, keypairs);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kInputMax = 16 * 1024;
  if (size > kInputMax) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto keys = key_like(text);
  try_word(text);
  try_list(text, keys, config::parse_networks, [](const Network& n) { return n.to_string(); });
  try_list(text, keys, config::parse_key_ids, [](const auto& id) { return to_zbase32(id); });
  try_list(text, keys, config::parse_digests, [](const auto& digest) { return to_hex(digest); });
  try_key_file(text, keys);
  try_settings(text, keys);
  return 0;
}
