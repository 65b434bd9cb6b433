#include "config/environment.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace shingled::config {

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
