#include "milter/cli/training/message_shape.h"

#include <algorithm>

#include "config/base/ascii.h"

namespace shingled::milter::cli {

namespace {

/// "Subject: ...", also with blanks before the colon, which obsolete syntax allows.
bool begins_with_field(std::string_view text) {
  const auto name_end = std::find_if(text.begin(), text.end(),
                                     [](char c) { return c <= ' ' || c >= 0x7f || c == ':'; });
  const std::string_view rest = text.substr(static_cast<std::size_t>(name_end - text.begin()));
  const std::size_t colon = rest.find_first_not_of(" \t");
  return name_end != text.begin() && ascii::is_alpha(text.front()) &&
         colon != std::string_view::npos && rest[colon] == ':';
}

}  // namespace

std::optional<std::string> why_no_message(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (bytes.empty()) return std::nullopt;
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  if (bytes.starts_with(">From ")) {
    bytes.remove_prefix(std::min(bytes.find('\n'), bytes.size() - 1) + 1);
  }
  if (!begins_with_field(bytes)) return "it does not begin with a header (Name: value)";
  const std::string_view header = bytes.substr(0, bytes.find("\r\n\r\n"));
  if (header.find('\0') != std::string_view::npos) return "its header has NUL bytes";
  return std::nullopt;
}

}  // namespace shingled::milter::cli
