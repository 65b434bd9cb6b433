#include "config/overrides.h"

#include <algorithm>
#include <string_view>

#include "config/base/ascii.h"
#include "config/base/hex.h"

namespace shingled::config {

namespace {

/// Whether entries can be put into it. A text in the place of a map stays, so that the loader
/// reports it: a whole file may be such a text.
bool can_hold(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kMap || node.kind == YamlNode::Kind::kNull;
}

/// The value of `key` in a map, made if it is missing. A new value has the place `at`.
YamlNode& entry_of(YamlNode& map, std::string_view key, const Position& at) {
  if (map.kind != YamlNode::Kind::kMap) {
    map.kind = YamlNode::Kind::kMap;
    map.position = at;
  }
  if (YamlNode* found = map.find(key)) return *found;
  YamlNode& made = map.items.emplace_back();
  made.key = key;
  made.key_position = at;
  made.position = at;
  return made;
}

bool has_empty_step(std::string_view path) {
  return path.empty() || path.front() == '.' || path.back() == '.' ||
         path.find("..") != std::string_view::npos;
}

void apply(std::string_view text, const Position& start, YamlNode& root, Diagnostics& diagnostics) {
  const std::size_t equals = text.find('=');
  const std::string_view path = text.substr(0, equals);
  if (equals == std::string_view::npos || has_empty_step(path)) {
    diagnostics.add(start, "", "not a valid override; allowed: SECTION.KEY=VALUE");
    return;
  }
  constexpr std::ptrdiff_t kStepsMax = 8;
  if (std::count(path.begin(), path.end(), '.') >= kStepsMax) {
    diagnostics.add(start, path, "unknown key");
    return;
  }
  Position value_start = start;
  value_start.column += static_cast<int>(equals) + 1;
  auto value = parse_yaml(text.substr(equals + 1), value_start, path, diagnostics);
  if (!value) return;

  YamlNode* target = &root;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    if (!can_hold(*target)) return;
    target = &entry_of(*target, rest.substr(0, dot), start);
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  value->key = target->key;
  value->key_position = start;
  *target = std::move(*value);
}

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

void apply_overrides(std::span<const std::string> overrides, YamlNode& root,
                     Diagnostics& diagnostics) {
  int number = 0;
  for (const std::string& text : overrides) {
    apply(text, {Position::Origin::kOverride, ++number, 1}, root, diagnostics);
  }
}

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
