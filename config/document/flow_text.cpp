#include "config/document/flow_text.h"

#include <cstdint>
#include <string_view>

#include "config/base/ascii.h"
#include "config/base/hex.h"

namespace shingled::config {

namespace {

/// Whether a text needs no quotes, also inside a list.
bool is_plain(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return false;
  const bool negative = text.front() == '-' && text.size() > 1 && ascii::is_digit(text[1]);
  return (ascii::is_alnum(text.front()) || text.front() == '/' || text.front() == '_' ||
          negative) &&
         ascii::is_word(text, text.size(), "_.-/+@");
}

std::string quoted_text(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\x";
      append_hex(out, static_cast<std::uint8_t>(c));
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
