#include "config/overrides.h"

#include <algorithm>
#include <string_view>
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

}  // namespace

void apply_overrides(std::span<const std::string> overrides, YamlNode& root,
                     Diagnostics& diagnostics) {
  int number = 0;
  for (const std::string& text : overrides) {
    apply(text, {Position::Origin::kOverride, ++number, 1}, root, diagnostics);
  }
}

}  // namespace shingled::config
