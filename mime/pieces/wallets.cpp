#include "mime/pieces/wallets.h"

#include <algorithm>
#include <utility>

#include "config/base/ascii.h"
#include "mime/model/escapes.h"
#include "mime/pieces/bitcoin_address.h"
#include "mime/pieces/iban.h"
#include "mime/pieces/keccak256.h"

namespace shingled::mime {

namespace {

constexpr std::string_view kEthereumMark = "0x";
constexpr std::size_t kEthereumDigits = 40;

constexpr ascii::CharSet kInWords("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");

/// "DE89"; in few words digits follow.
bool may_begin_iban(std::string_view word) {
  return word.size() >= 4 && ascii::is_digit(word[2]) && ascii::is_digit(word[3]);
}

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

std::optional<std::string> wallet_of(std::string_view word) {
  switch (word.front()) {
    case '0':
      return ethereum_address(word);
    case '1':
    case '3':
      return base58_address(word);
    case 'b':
    case 'B':
      return bech32_address(word);
    default:
      return std::nullopt;
  }
}

}  // namespace

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

std::vector<std::string> find_wallets(std::string_view text, std::size_t count_max) {
  std::vector<std::string> found;
  std::size_t at = 0;
  while (found.size() < count_max) {
    while (at < text.size() && !kInWords.has(text[at])) ++at;
    if (at == text.size()) break;
    std::size_t end = at;
    while (end < text.size() && kInWords.has(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    auto wallet = word.size() >= kBase58BytesMin ? wallet_of(word) : std::nullopt;
    if (!wallet && may_begin_iban(word)) wallet = leading_iban(text.substr(at));
    if (wallet && std::find(found.begin(), found.end(), *wallet) == found.end()) {
      found.push_back(*std::move(wallet));
    }
    at = end;
  }
  return found;
}

}  // namespace shingled::mime
