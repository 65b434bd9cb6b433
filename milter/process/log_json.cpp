#include "milter/process/log_json.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "config/base/hex.h"

namespace shingled::milter::process {

namespace {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', /*ensure_ascii=*/false,
                                   nlohmann::json::error_handler_t::replace);
}

/// The bytes that the line shows as \xNN.
std::string unescaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const bool escape = text.starts_with("\\x");
    const auto byte = escape ? from_hex(text.substr(2, 2)) : std::nullopt;
    out += byte ? static_cast<char>(byte->front()) : text.front();
    text.remove_prefix(byte ? 4 : 1);
  }
  return out;
}

/// Takes the value at the beginning of `rest`, without its quotation marks.
std::string_view take_value(std::string_view& rest) {
  const char end = rest.starts_with('"') ? '"' : ' ';
  if (end == '"') rest.remove_prefix(1);
  const std::string_view value = rest.substr(0, rest.find(end));
  rest.remove_prefix(std::min(rest.size(), value.size() + (end == '"' ? 1 : 0)));
  return value;
}

}  // namespace

std::string json_members(const LogLine& line) {
  std::string_view rest = line.text();
  const std::string_view event = rest.substr(0, rest.find(' '));
  rest.remove_prefix(event.size());
  std::string out = R"("event":)" + json_text(std::string(event));
  for (std::size_t place = 0; rest.starts_with(' '); ++place) {
    rest.remove_prefix(1);
    const std::string_view key = rest.substr(0, rest.find('='));
    rest.remove_prefix(std::min(rest.size(), key.size() + 1));
    const std::string value(take_value(rest));
    const bool bare = line.is_bare(place) && nlohmann::json::accept(value);
    out += ',' + json_text(std::string(key)) + ':' + (bare ? value : json_text(unescaped(value)));
  }
  return out;
}

}  // namespace shingled::milter::process
