#include "milter/api/system/match_question.h"

#include <algorithm>
#include <string_view>

#include "config/base/hex.h"
#include "config/base/number_text.h"

namespace shingled::milter::api {

namespace {

std::optional<Shingles> parse_shingles(std::string_view text) {
  Shingles shingles{};
  for (std::size_t i = 0; i < kShingleCount; ++i) {
    if (i > 0) {
      if (!text.starts_with(',')) return std::nullopt;
      text.remove_prefix(1);
    }
    const auto shingle = take_whole<std::uint64_t>(text);
    if (!shingle) return std::nullopt;
    shingles[i] = *shingle;
  }
  return text.empty() ? std::optional(shingles) : std::nullopt;
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

}  // namespace shingled::milter::api
