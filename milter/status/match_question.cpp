#include "milter/status/match_question.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "config/base/hex.h"

namespace shingled::milter::status {

namespace {

std::optional<Shingles> parse_shingles(std::string_view text) {
  Shingles shingles{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    if (i > 0 && (at == end || *at++ != ',')) return std::nullopt;
    const auto [next, failure] = std::from_chars(at, end, shingles[i]);
    if (failure != std::errc{}) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return shingles;
}

}  // namespace

Result<Fingerprint> parse_match_question(const std::map<std::string, std::string>& arguments) {
  Fingerprint asked;
  const auto digest = arguments.find("digest");
  const auto bytes = digest != arguments.end() ? from_hex(digest->second) : std::nullopt;
  if (!bytes || bytes->size() != kDigestBytes) {
    return Error{ErrorCode::kInvalid, "digest: must be 128 hexadecimal digits"};
  }
  std::copy(bytes->begin(), bytes->end(), asked.digest.bytes.begin());
  if (const auto shingles = arguments.find("shingles"); shingles != arguments.end()) {
    asked.shingles = parse_shingles(shingles->second);
    if (!asked.shingles) {
      return Error{ErrorCode::kInvalid, "shingles: must be 32 decimal numbers with commas"};
    }
  }
  return asked;
}

std::string match_question(const Fingerprint& fingerprint) {
  std::string text = "digest=" + to_hex(fingerprint.digest.bytes);
  if (!fingerprint.shingles) return text;
  char mark = '=';
  text += "&shingles";
  for (const std::uint64_t shingle : *fingerprint.shingles) {
    text += mark + std::to_string(shingle);
    mark = ',';
  }
  return text;
}

}  // namespace shingled::milter::status
