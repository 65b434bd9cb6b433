#include "config/base/logger.h"

#include <cstdio>

#include "config/base/hex.h"
#include "config/base/result.h"

namespace shingled {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kDenied:
      return "denied";
    case ErrorCode::kLimit:
      return "limit";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

LogLine& LogLine::append(std::string_view key, std::string_view value) {
  text_.append(1, ' ').append(key).append(1, '=').append(value);
  ++fields_;
  return *this;
}

LogLine& LogLine::raw(std::string_view key, std::string_view value) {
  if (fields_ < kBareMax) bare_ |= std::uint64_t{1} << fields_;
  return append(key, value);
}

LogLine& LogLine::field(std::string_view key, std::string_view value) {
  std::string safe;
  bool quote = value.empty();
  const bool cut = value.size() > kLogValueBytesMax;
  for (const char c : value.substr(0, kLogValueBytesMax)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e || c == '"' || c == '\\') {
      safe += "\\x";
      append_hex(safe, byte);
      continue;
    }
    quote = quote || c == ' ' || c == '=';
    safe += c;
  }
  if (cut) safe += "...";
  return append(key, quote ? '"' + safe + '"' : safe);
}

LogLine& LogLine::field(std::string_view key, double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return raw(key, text);
}

}  // namespace shingled
