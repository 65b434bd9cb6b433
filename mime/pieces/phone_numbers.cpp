#include "mime/pieces/phone_numbers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "config/base/ascii.h"

namespace shingled::mime {

namespace {

/// Bytes of a number with its separators.
constexpr std::size_t kPhoneBytesMax = 40;
constexpr ascii::CharSet kBetweenDigits(" -./()");
constexpr ascii::CharSet kBeginsNumber("+(0123456789");
constexpr std::size_t kSeparatorsMax = 3;  ///< in a row: ") -"
constexpr std::string_view kHardSpace = "\u00A0";
constexpr std::string_view kHardHyphen = "\u2011";

/// A run of digits and separators.
struct Candidate {
  bool plus = false;
  bool bracket = false;  ///< begins with one
  std::string digits;
  std::vector<std::size_t> groups;  ///< digits of each
  std::string separators;           ///< the first character of each separator
  std::size_t end = 0;              ///< after the last digit
};

std::size_t separator_bytes(std::string_view text) {
  if (text.empty()) return 0;
  if (kBetweenDigits.has(text.front())) return 1;
  if (text.starts_with(kHardSpace)) return kHardSpace.size();
  return text.starts_with(kHardHyphen) ? kHardHyphen.size() : 0;
}

/// Reads a candidate at `at`, where a digit, plus or bracket is.
Candidate read_candidate(std::string_view text, std::size_t at) {
  Candidate out;
  out.plus = text[at] == '+';
  out.bracket = text[at] == '(';
  if (out.plus || out.bracket) ++at;
  if (out.bracket && at < text.size() && text[at] == '+') {
    out.plus = true;
    ++at;
  }
  std::size_t separators = kSeparatorsMax;  // none may follow the plus
  const std::size_t limit = std::min(text.size(), at + kPhoneBytesMax);
  bool new_group = true;
  char separator = 0;
  out.end = at;
  while (at < limit) {
    if (ascii::is_digit(text[at])) {
      if (new_group) {
        if (!out.groups.empty()) out.separators += separator;
        out.groups.push_back(0);
      }
      new_group = false;
      separators = 0;
      out.digits += text[at++];
      ++out.groups.back();
      out.end = at;
      continue;
    }
    const std::size_t bytes = separator_bytes(text.substr(at));
    if (bytes == 0 || ++separators > kSeparatorsMax) break;
    // "+49 (0)30": the trunk prefix is not dialled from abroad.
    if (out.plus && text.substr(at).starts_with("(0)")) {
      at += std::string_view("(0)").size();
      out.end = at;
      new_group = true;
      continue;
    }
    if (!new_group) separator = text[at];
    new_group = true;
    at += bytes;
  }
  return out;
}

/// 23.11.2026, 23/11/2026 10, 2026-11-23 and the like.
bool is_date(const Candidate& number) {
  constexpr std::size_t kYear = 4;
  const auto& groups = number.groups;
  if (groups.size() < 3 || number.separators[0] != number.separators[1]) return false;
  const bool year_last = groups[0] <= 2 && groups[1] <= 2 && groups[2] == kYear;
  const bool year_first = groups[0] == kYear && groups[1] == 2 && groups[2] == 2;
  return year_first || (year_last && number.separators[0] != ' ');
}

/// 10.152.251.207: four numbers without leading zeros.
bool is_address(const Candidate& number) {
  constexpr std::size_t kAddressNumbers = 4;
  if (number.groups.size() != kAddressNumbers) return false;
  std::size_t at = 0;
  for (const std::size_t digits : number.groups) {
    if (digits > 3 || (digits > 1 && number.digits[at] == '0')) return false;
    at += digits;
  }
  return true;
}

/// 1.234.567,00 or 192.168.100.200.
bool is_amount_or_address(const Candidate& number) {
  const bool dots = std::all_of(number.separators.begin(), number.separators.end(),
                                [](char c) { return c == '.'; });
  if (!dots) return false;
  return is_address(number) ||
         std::all_of(number.groups.begin(), number.groups.end(),
                     [](std::size_t digits) { return digits == 1 || digits == 3; });
}

bool has_equal_separators(const Candidate& number) {
  return number.separators.find_first_not_of(number.separators.front()) == std::string::npos;
}

/// 800-555-0100, 800.555.0100, (800) 555-0100, maybe after a 1.
bool is_american(const Candidate& number) {
  const auto& groups = number.groups;
  const bool long_form = groups.size() == 4 && groups[0] == 1 && number.digits.front() == '1';
  const std::size_t first = long_form ? 1 : 0;
  if (groups.size() != first + 3) return false;
  if (groups[first] != 3 || groups[first + 1] != 3 || groups[first + 2] != 4) return false;
  return number.digits[first] >= '2' && number.separators.front() != '/';
}

bool is_national(const Candidate& number) {
  if (number.digits.size() < kNationalPhoneDigitsMin || number.groups.size() < 2) return false;
  if (is_date(number) || is_amount_or_address(number)) return false;
  if (is_american(number)) return true;
  if (number.bracket && number.groups.front() >= 2) return true;
  if (number.digits.front() != '0' || number.groups.front() < 2) return false;
  const bool in_twos = std::all_of(number.groups.begin(), number.groups.end(),
                                   [](std::size_t digits) { return digits == 2; });
  return !in_twos || has_equal_separators(number);
}

std::optional<std::string> phone_of(Candidate number) {
  constexpr std::string_view kAbroad = "00";
  const bool abroad = number.digits.starts_with(kAbroad) && number.groups.front() > 1 &&
                      !number.digits.starts_with("000");
  if (number.plus || abroad) {
    if (!number.plus) number.digits.erase(0, kAbroad.size());
    const bool one_group = number.groups.size() == 1;
    if (number.digits.size() < kPhoneDigitsMin || number.digits.starts_with('0')) {
      return std::nullopt;
    }
    if (!number.plus && one_group) return std::nullopt;  // 0012345678 is the number of an order
  } else if (!is_national(number)) {
    return std::nullopt;
  }
  if (number.digits.size() > kPhoneDigitsMax) return std::nullopt;
  return std::move(number.digits);
}

/// Whether a number may begin with `first` after `c`. "Tel.+49" may, "list+4711@" has a tag.
bool may_begin(char c, char first) {
  constexpr ascii::CharSet kInside("_@#/.-,=&%$+");
  if (first == '+') return !ascii::is_alnum(c) && c != '_';
  return !ascii::is_digit(first) || (!ascii::is_alnum(c) && !kInside.has(c));
}

bool may_follow(std::string_view rest) {
  if (rest.empty()) return true;
  if (ascii::is_alnum(rest.front()) || rest.front() == '_' || rest.front() == '%') return false;
  constexpr ascii::CharSet kDecimal(",:");
  return !kDecimal.has(rest.front()) || rest.size() < 2 || !ascii::is_digit(rest[1]);
}

}  // namespace

std::vector<std::string> find_phones(std::string_view text, std::size_t count_max) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size() && found.size() < count_max;) {
    const char c = text[at];
    if (!kBeginsNumber.has(c) || (at > 0 && !may_begin(text[at - 1], c))) {
      ++at;
      continue;
    }
    Candidate number = read_candidate(text, at);
    const std::size_t end = std::max(number.end, at + 1);
    if (!number.digits.empty() && may_follow(text.substr(end))) {
      auto phone = phone_of(std::move(number));
      if (phone && std::find(found.begin(), found.end(), *phone) == found.end()) {
        found.push_back(*std::move(phone));
      }
    }
    at = end;
  }
  return found;
}

std::optional<std::string> phone_of_link(std::string_view number) {
  const std::string_view shown = number.substr(0, std::min(number.find(';'), kPhoneBytesMax));
  std::string digits;
  std::copy_if(shown.begin(), shown.end(), std::back_inserter(digits), ascii::is_digit);
  if (digits.starts_with("00")) digits.erase(0, 2);
  if (digits.size() < kPhoneDigitsMin || digits.size() > kPhoneDigitsMax) return std::nullopt;
  return digits;
}

}  // namespace shingled::mime
