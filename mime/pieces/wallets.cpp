#include "mime/pieces/wallets.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "config/base/ascii.h"
#include "mime/pieces/coin_address.h"

namespace shingled::mime {

namespace {

struct IbanCountry {
  std::string_view code;
  std::uint8_t length;
};

/// Sorted by code.
constexpr IbanCountry kIbanCountries[] = {
    {"AD", 24}, {"AE", 23}, {"AL", 28}, {"AT", 20}, {"AZ", 28}, {"BA", 20}, {"BE", 16}, {"BG", 22},
    {"BH", 22}, {"BI", 27}, {"BR", 29}, {"BY", 28}, {"CH", 21}, {"CR", 22}, {"CY", 28}, {"CZ", 24},
    {"DE", 22}, {"DJ", 27}, {"DK", 18}, {"DO", 28}, {"EE", 20}, {"EG", 29}, {"ES", 24}, {"FI", 18},
    {"FK", 18}, {"FO", 18}, {"FR", 27}, {"GB", 22}, {"GE", 22}, {"GI", 23}, {"GL", 18}, {"GR", 27},
    {"GT", 28}, {"HN", 28}, {"HR", 21}, {"HU", 28}, {"IE", 22}, {"IL", 23}, {"IQ", 23}, {"IS", 26},
    {"IT", 27}, {"JO", 30}, {"KW", 30}, {"KZ", 20}, {"LB", 28}, {"LC", 32}, {"LI", 21}, {"LT", 20},
    {"LU", 20}, {"LV", 21}, {"LY", 25}, {"MC", 27}, {"MD", 24}, {"ME", 22}, {"MK", 19}, {"MN", 20},
    {"MR", 27}, {"MT", 31}, {"MU", 30}, {"NI", 28}, {"NL", 18}, {"NO", 15}, {"OM", 23}, {"PK", 24},
    {"PL", 28}, {"PS", 29}, {"PT", 25}, {"QA", 29}, {"RO", 24}, {"RS", 22}, {"RU", 33}, {"SA", 24},
    {"SC", 31}, {"SD", 18}, {"SE", 24}, {"SI", 19}, {"SK", 24}, {"SM", 27}, {"SO", 23}, {"ST", 25},
    {"SV", 28}, {"TL", 23}, {"TN", 24}, {"TR", 26}, {"UA", 29}, {"VA", 22}, {"VG", 24}, {"XK", 20},
    {"YE", 30},
};

constexpr std::size_t kIbanCountryBytes = 2;
constexpr std::size_t kIbanHeadBytes = 4;  ///< country and check digits
constexpr std::string_view kNoBreakSpace = "\u00A0";

/// 0 for a country without such accounts.
std::size_t iban_length(std::string_view code) {
  const auto* const row = std::lower_bound(
      std::begin(kIbanCountries), std::end(kIbanCountries), code,
      [](const IbanCountry& entry, std::string_view wanted) { return entry.code < wanted; });
  return row != std::end(kIbanCountries) && row->code == code ? row->length : 0;
}

/// Whether the number that it stands for, head last and letters as 10 to 35, is 1 modulo 97.
bool has_right_digits(std::string_view iban) {
  unsigned rest = 0;
  for (std::size_t i = 0; i < iban.size(); ++i) {
    const char c = iban[(i + kIbanHeadBytes) % iban.size()];
    const bool digit = ascii::is_digit(c);
    const auto value = static_cast<unsigned>(digit ? c - '0' : c - 'A' + 10);
    rest = (rest * (digit ? 10 : 100) + value) % 97;
  }
  return rest == 1;
}

}  // namespace

std::optional<std::string> leading_iban(std::string_view text) {
  if (text.size() < kIbanHeadBytes || !ascii::is_alpha(text[0]) || !ascii::is_alpha(text[1]) ||
      !ascii::is_digit(text[2]) || !ascii::is_digit(text[3])) {
    return std::nullopt;
  }
  std::string iban = {ascii::to_upper(text[0]), ascii::to_upper(text[1])};
  const std::size_t length = iban_length(iban);
  bool spaced = false;
  std::size_t at = kIbanCountryBytes;
  while (iban.size() < length && at < text.size()) {
    if (ascii::is_alnum(text[at])) {
      iban += ascii::to_upper(text[at++]);
      spaced = false;
    } else if (!spaced && text[at] == ' ') {
      spaced = true;
      ++at;
    } else if (!spaced && text.substr(at).starts_with(kNoBreakSpace)) {
      spaced = true;
      at += kNoBreakSpace.size();
    } else {
      return std::nullopt;
    }
  }
  if (length == 0 || iban.size() != length) return std::nullopt;
  if (at < text.size() && ascii::is_alnum(text[at])) return std::nullopt;
  if (!has_right_digits(iban)) return std::nullopt;
  return iban;
}

namespace {

constexpr ascii::CharSet kInWords("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");

/// "DE89"; in few words digits follow.
bool may_begin_iban(std::string_view word) {
  return word.size() >= 4 && ascii::is_digit(word[2]) && ascii::is_digit(word[3]);
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
