#include "config/flow_text.h"

#include <algorithm>
#include <string_view>

#include "config/base/hex.h"

namespace shingled::config {

namespace {

/// Whether a text reads as itself without quotes, also inside a list.
bool is_plain(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return false;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto inner = [&](char c) {
    return letter(c) || std::string_view("_.-/+@").find(c) != std::string_view::npos;
  };
  const bool negative = text.front() == '-' && text.size() > 1 && text[1] >= '0' && text[1] <= '9';
  return (letter(text.front()) || text.front() == '/' || text.front() == '_' || negative) &&
         std::all_of(text.begin(), text.end(), inner);
}

std::string quoted_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\x" + to_hex(as_bytes(std::string_view(&c, 1)));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

std::string flow_text(const YamlNode& node) {
  const bool map = node.kind == YamlNode::Kind::kMap;
  if (node.kind == YamlNode::Kind::kNull) return "null";
  if (node.kind == YamlNode::Kind::kScalar) return quoted_text(node.text);
  std::string out = map ? "{" : "[";
  for (const YamlNode& item : node.items) {
    if (&item != &node.items.front()) out += ", ";
    if (map) out += quoted_text(item.key) + ": ";
    out += flow_text(item);
  }
  return out + (map ? '}' : ']');
}

}  // namespace shingled::config
