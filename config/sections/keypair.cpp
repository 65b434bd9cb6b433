#include <algorithm>
#include <set>
#include <utility>

#include "config/base/byte_reader.h"
#include "config/base/hex.h"
#include "config/base/zbase32.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {

enum class Encoding { kZbase32, kHex, kBase64 };
constexpr std::array<Choice<Encoding>, 4> kEncodings = {{{"base32", Encoding::kZbase32},
                                                         {"zbase32", Encoding::kZbase32},
                                                         {"hex", Encoding::kHex},
                                                         {"base64", Encoding::kBase64}}};
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kIdBytes = 64;  // BLAKE2b-512 of the public key

/// RFC 4648 section 4, with or without padding; surplus bits must be zero.
std::optional<Bytes> from_base64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int padding = 0; padding < 2 && !text.empty() && text.back() == '='; ++padding) {
    text.remove_suffix(1);
  }
  Bytes out;
  std::uint32_t pending = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::size_t value = kAlphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    pending = (pending << 6 | static_cast<std::uint32_t>(value)) & 0xfffU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<std::uint8_t>(pending >> bits & 0xffU));
  }
  if (bits >= 6 || (pending & ((1U << bits) - 1)) != 0) return std::nullopt;
  return out;
}

std::optional<Bytes> decode(std::string_view text, Encoding encoding) {
  switch (encoding) {
    case Encoding::kZbase32:
      return from_zbase32(text);
    case Encoding::kHex:
      return from_hex(text);
    case Encoding::kBase64:
      return from_base64(text);
  }
  return std::nullopt;
}

/// A known number of bytes. The text may be a secret: problems do not quote it.
std::optional<Bytes> read_bytes(const Field& field, Encoding encoding, std::size_t size) {
  constexpr std::array<std::string_view, 3> kNames = {"z-base-32", "hexadecimal", "base64"};
  const std::string allowed = std::to_string(size) + " bytes in " +
                              std::string(kNames.at(static_cast<std::size_t>(encoding)));
  const auto text = field.scalar(allowed);
  if (!text) return std::nullopt;
  auto bytes = decode(*text, encoding);
  if (!bytes) {
    field.problem("is not " + std::string(kNames.at(static_cast<std::size_t>(encoding))), allowed);
    return std::nullopt;
  }
  if (bytes->size() != size) {
    field.problem("has " + std::to_string(bytes->size()) + " bytes", allowed);
    return std::nullopt;
  }
  return bytes;
}

std::optional<std::array<std::uint8_t, kKeyBytes>> read_key(const Field& field, Encoding encoding) {
  const auto bytes = read_bytes(field, encoding, kKeyBytes);
  if (!bytes) return std::nullopt;
  std::array<std::uint8_t, kKeyBytes> key{};
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

/// A field with only one allowed value.
void expect(Section& section, std::string_view key, std::string_view value) {
  const auto field = section.field(key);
  if (!field) return;
  const auto text = field->scalar(value);
  if (text && !equal_ignoring_case(*text, value)) field->refuse("not supported", value);
}

/// The map itself; rspamd prints key pairs with another map around it.
const YamlNode& unwrapped(const YamlNode& node) {
  const YamlNode* inner = node.find("keypair");
  return inner != nullptr && node.items.size() == 1 ? *inner : node;
}

std::optional<Keypair> load_keypair(const Field& item) {
  const YamlNode& node = unwrapped(item.node());
  if (node.kind != YamlNode::Kind::kMap) {
    item.problem("is not a key pair", "a map with pubkey and privkey, or a list of such maps");
    return std::nullopt;
  }
  Section section(&node, item.key(), item.diagnostics());
  section.hide_secrets();
  Encoding encoding = Encoding::kZbase32;
  section.choice<Encoding>("encoding", encoding, kEncodings);
  expect(section, "type", "kex");
  expect(section, "algorithm", "curve25519");
  if (const auto id = section.field("id")) read_bytes(*id, encoding, kIdBytes);
  const auto public_field = section.field("pubkey", {"public", "public_key"});
  const auto secret_field =
      section.field("privkey", {"private", "private_key", "secret", "secret_key"});
  if (!public_field) item.problem("has no pubkey", "a map with pubkey and privkey");
  if (!secret_field) item.problem("has no privkey", "a map with pubkey and privkey");
  KeyRights rights;
  load_key_rights(section.section("extensions"), rights);
  const auto public_key = public_field ? read_key(*public_field, encoding) : std::nullopt;
  const auto secret_key = secret_field ? read_key(*secret_field, encoding) : std::nullopt;
  if (!public_key || !secret_key) return std::nullopt;
  return Keypair{*public_key, SecretKey(*secret_key), std::move(rights)};
}

}  // namespace

std::optional<std::array<std::uint8_t, kKeyBytes>> read_key(const Field& field) {
  return read_key(field, Encoding::kZbase32);
}

void load_keypairs(const Field& field, std::vector<Keypair>& out, std::vector<std::string>* files) {
  out.clear();
  if (field.is_null()) return;
  // PROTOCOL.md 3.4: the first 8 bytes name the key in a packet.
  std::set<std::array<std::uint8_t, 8>> names;
  for (const Field& item : field.list()) {
    const bool is_path = item.node().kind == YamlNode::Kind::kScalar && item.node().text[0] == '/';
    if (files != nullptr && is_path) {
      files->push_back(item.node().text);
      continue;
    }
    const auto pair = load_keypair(item);
    if (!pair) continue;
    std::array<std::uint8_t, 8> name{};
    std::copy_n(pair->public_key.begin(), name.size(), name.begin());
    if (!names.insert(name).second) {
      item.problem("the public key begins with the same 8 bytes as an earlier one",
                   "keys that a packet can tell apart");
    }
    out.push_back(*pair);
  }
}

}  // namespace shingled::config
