#include "config/overrides.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

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

namespace {

constexpr std::string_view kPrefix = "SHINGLED_";
constexpr std::string_view kDot = "__";

/// The key that a variable names; nullopt if it is another program's.
std::optional<std::string> key_of(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  const std::size_t dot = name.find(kDot, 1);
  if (dot == std::string_view::npos || dot + kDot.size() == name.size()) return std::nullopt;
  std::string key;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i).starts_with(kDot)) {
      key += '.';
      ++i;
    } else {
      key += name[i] >= 'A' && name[i] <= 'Z' ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
    }
  }
  return key;
}

}  // namespace

std::vector<std::string> environment_overrides(const char* const* environment) {
  std::vector<std::pair<std::string, std::string_view>> found;  // so that a section is first
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    const std::size_t end = variable.find('=');
    if (end == std::string_view::npos || end + 1 == variable.size()) continue;
    if (auto key = key_of(variable.substr(0, end)))
      found.emplace_back(*std::move(key), variable.substr(end + 1));
  }
  std::ranges::sort(found);
  std::vector<std::string> out;
  for (const auto& [key, value] : found) out.push_back(key + '=' + std::string(value));
  return out;
}

}  // namespace shingled::config
