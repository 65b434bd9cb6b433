#include "mime/pieces/coin_address.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "config/base/ascii.h"
#include "mime/fingerprint/keyed_hash.h"
#include "mime/model/escapes.h"

namespace shingled::mime {

namespace {

constexpr std::size_t kLanes = 25;
constexpr std::size_t kRounds = 24;
constexpr std::size_t kRateBytes = 136;
using KeccakState = std::array<std::uint64_t, kLanes>;

/// The constants of step iota come from a shift register of eight bits (reference, 1.2).
constexpr std::array<std::uint64_t, kRounds> kRoundConstants = [] {
  std::array<std::uint64_t, kRounds> out{};
  unsigned bits = 1;
  for (std::uint64_t& constant : out) {
    for (unsigned i = 0; i < 7; ++i) {
      if ((bits & 1U) != 0) constant |= std::uint64_t{1} << ((1U << i) - 1);
      bits <<= 1U;
      if ((bits & 0x100U) != 0) bits ^= 0x171U;
    }
  }
  return out;
}();

void theta(KeccakState& a) {
  std::array<std::uint64_t, 5> column{};
  for (std::size_t x = 0; x < 5; ++x)
    column[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
  for (std::size_t x = 0; x < 5; ++x) {
    const std::uint64_t change = column[(x + 4) % 5] ^ std::rotl(column[(x + 1) % 5], 1);
    for (std::size_t y = 0; y < kLanes; y += 5) a[x + y] ^= change;
  }
}

void rho_and_pi(KeccakState& a) {
  std::size_t x = 1;
  std::size_t y = 0;
  std::uint64_t lane = a[1];
  for (int t = 0; t < 24; ++t) {
    const std::size_t next = (2 * x + 3 * y) % 5;
    x = y;
    y = next;
    const std::uint64_t kept = a[x + 5 * y];
    a[x + 5 * y] = std::rotl(lane, (t + 1) * (t + 2) / 2 % 64);
    lane = kept;
  }
}

void chi(KeccakState& a) {
  for (std::size_t y = 0; y < kLanes; y += 5) {
    const std::array<std::uint64_t, 5> row = {a[y], a[y + 1], a[y + 2], a[y + 3], a[y + 4]};
    for (std::size_t x = 0; x < 5; ++x) a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
  }
}

void permute(KeccakState& state) {
  for (const std::uint64_t constant : kRoundConstants) {
    theta(state);
    rho_and_pi(state);
    chi(state);
    state[0] ^= constant;
  }
}

void mix_byte(KeccakState& state, std::size_t at, std::uint8_t byte) {
  state[at / 8] ^= std::uint64_t{byte} << (8 * (at % 8));
}

}  // namespace

std::array<std::uint8_t, 32> keccak256(std::string_view data) {
  KeccakState state{};
  std::size_t at = 0;
  for (const char c : data) {
    mix_byte(state, at++, static_cast<std::uint8_t>(c));
    if (at < kRateBytes) continue;
    permute(state);
    at = 0;
  }
  mix_byte(state, at, 0x01);
  mix_byte(state, kRateBytes - 1, 0x80);
  permute(state);
  std::array<std::uint8_t, 32> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(state[i / 8] >> (8 * (i % 8)));
  }
  return out;
}

namespace {

constexpr std::string_view kEthereumMark = "0x";
constexpr std::size_t kEthereumDigits = 40;

/// Whether each letter is a capital where the hash of the address says so.
bool has_right_case(std::string_view digits, std::string_view lower) {
  const auto hash = keccak256(lower);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (!ascii::is_alpha(digits[i])) continue;
    const unsigned nibble = i % 2 == 0 ? hash[i / 2] >> 4U : hash[i / 2] & 0xFU;
    if ((nibble >= 8) != (ascii::to_upper(digits[i]) == digits[i])) return false;
  }
  return true;
}

constexpr std::string_view kBase58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::string_view kBech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::string_view kPrefix = "bc1";

/// Version, 20 bytes of hash, 4 bytes of checksum.
constexpr std::size_t kPayloadBytes = 21;
using Base58Bytes = std::array<std::uint8_t, kPayloadBytes + 4>;

/// The number that the word is, in 25 bytes; nullopt if it has other characters or is too large.
std::optional<Base58Bytes> base58_bytes(std::string_view word) {
  Base58Bytes out{};
  for (const char c : word) {
    const std::size_t digit = kBase58.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    auto carry = static_cast<unsigned>(digit);
    for (auto byte = out.rbegin(); byte != out.rend(); ++byte) {
      carry += 58U * *byte;
      *byte = static_cast<std::uint8_t>(carry);
      carry >>= 8U;
    }
    if (carry != 0) return std::nullopt;
  }
  return out;
}

std::string_view as_text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// The checksum of BIP 173 over the prefix "bc" and the values.
std::uint32_t bech32_sum(const std::vector<std::uint8_t>& values) {
  constexpr std::array<std::uint32_t, 5> kGenerator = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa,
                                                       0x3d4233dd, 0x2a1462b3};
  std::uint32_t sum = 1;
  const auto mix = [&](std::uint8_t value) {
    const std::uint32_t top = sum >> 25U;
    sum = (sum & 0x1ffffffU) << 5U ^ value;
    for (unsigned i = 0; i < kGenerator.size(); ++i) {
      if ((top >> i & 1U) != 0) sum ^= kGenerator[i];
    }
  };
  // "bc": the high bits, a zero, the low bits.
  constexpr std::array<std::uint8_t, 5> kExpandedPrefix = {3, 3, 0, 2, 3};
  for (const std::uint8_t value : kExpandedPrefix) mix(value);
  for (const std::uint8_t value : values) mix(value);
  return sum;
}

/// Version, then a program of 2 to 40 bytes in groups of five bits, without the checksum.
bool is_witness(const std::vector<std::uint8_t>& values) {
  constexpr std::size_t kSumValues = 6;
  if (values.size() < kSumValues + 2) return false;
  const std::size_t bits = (values.size() - kSumValues - 1) * 5;
  const std::size_t bytes = bits / 8;
  const std::size_t rest = bits % 8;
  const std::uint8_t last = values[values.size() - kSumValues - 1];
  const bool padded = rest < 5 && (last & ((1U << rest) - 1)) == 0;
  const unsigned version = values.front();
  if (!padded || version > 16 || bytes < 2 || bytes > 40) return false;
  return version != 0 || bytes == 20 || bytes == 32;
}

}  // namespace

std::optional<std::string> base58_address(std::string_view word) {
  if (word.size() < kBase58BytesMin || word.size() > kBase58BytesMax) return std::nullopt;
  if (word.front() != '1' && word.front() != '3') return std::nullopt;
  const auto bytes = base58_bytes(word);
  if (!bytes) return std::nullopt;
  // A leading 1 is a byte of zero, so that a longer word is not the same address.
  const auto ones = std::find_if(word.begin(), word.end(), [](char c) { return c != '1'; });
  const auto zeros = std::find_if(bytes->begin(), bytes->end(), [](auto b) { return b != 0; });
  if (ones - word.begin() != zeros - bytes->begin()) return std::nullopt;
  constexpr std::uint8_t kPublicKeyHash = 0;
  constexpr std::uint8_t kScriptHash = 5;
  if (bytes->front() != kPublicKeyHash && bytes->front() != kScriptHash) return std::nullopt;
  const auto once = fingerprint::sha256(as_text(bytes->data(), kPayloadBytes));
  const auto twice = fingerprint::sha256(as_text(once.data(), once.size()));
  if (!std::equal(bytes->begin() + kPayloadBytes, bytes->end(), twice.begin())) return std::nullopt;
  return std::string(word);
}

std::optional<std::string> bech32_address(std::string_view word) {
  if (word.size() > kBech32BytesMax || !ascii::starts_with_ignoring_case(word, kPrefix)) {
    return std::nullopt;
  }
  const std::string lower = ascii::to_lower(word);
  const bool upper = std::none_of(word.begin(), word.end(), [](char c) {
    return ascii::is_alpha(c) && ascii::to_upper(c) != c;
  });
  if (lower != word && !upper) return std::nullopt;
  std::vector<std::uint8_t> values;
  for (const char c : std::string_view(lower).substr(kPrefix.size())) {
    const std::size_t value = kBech32.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    values.push_back(static_cast<std::uint8_t>(value));
  }
  if (!is_witness(values)) return std::nullopt;
  constexpr std::uint32_t kBech32Sum = 1;
  constexpr std::uint32_t kBech32mSum = 0x2bc830a3;
  if (bech32_sum(values) != (values.front() == 0 ? kBech32Sum : kBech32mSum)) return std::nullopt;
  return lower;
}

std::optional<std::string> ethereum_address(std::string_view word) {
  if (word.size() != kEthereumMark.size() + kEthereumDigits || !word.starts_with(kEthereumMark)) {
    return std::nullopt;
  }
  const std::string_view digits = word.substr(kEthereumMark.size());
  if (!std::all_of(digits.begin(), digits.end(), is_hex)) return std::nullopt;
  const std::string lower = ascii::to_lower(digits);
  const bool one_case = lower == digits || std::none_of(digits.begin(), digits.end(), [](char c) {
                          return c >= 'a' && c <= 'f';
                        });
  if (!one_case && !has_right_case(digits, lower)) return std::nullopt;
  return std::string(kEthereumMark) + lower;
}

}  // namespace shingled::mime
