#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document/diagnostics.h"
#include "config/document/scalar_steps.h"

namespace shingled::config {

/// One value of a YAML document, with its place in the text. A map keeps duplicate keys.
struct YamlNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  Position position;
  std::string text;               ///< of a scalar
  std::vector<ScalarStep> steps;  ///< of a scalar: where its letters are (scalar_steps.h)
  std::vector<YamlNode> items;    ///< of a list or a map, in the order of the text
  std::string key;                ///< if this is the value of a map's entry
  Position key_position;          ///< likewise

  /// The first entry of a map with this key, or null.
  [[nodiscard]] const YamlNode* find(std::string_view name) const;
  [[nodiscard]] YamlNode* find(std::string_view name);
};

constexpr std::size_t kYamlBytesMax = 4UL * 1024 * 1024;
constexpr std::size_t kYamlDepthMax = 32;  ///< the settings need six
constexpr std::size_t kYamlNodesMax = 200'000;

/// Reads one YAML document. Text that is not valid YAML or UTF-8, exceeds the limits above, or uses
/// an alias, a second document, or a map or list as a key is a problem. Then the tree has the part
/// that could be read, or there is no tree.
///
/// `start` is where the text begins: line 1, column 1 of a file, or after the '=' of an override.
/// Problems about the text as a whole name `key`.
/// Cost: one pass.
/// Errors: only problems; it does not throw.
std::optional<YamlNode> parse_yaml(std::string_view text, const Position& start,
                                   std::string_view key, Diagnostics& diagnostics);

/// A hint for a problem whose text is in the language of rspamd's files: "key = value;" and
/// "section { ... }". Empty for any other text.
std::string_view hint_of_ucl(std::string_view text);

/// A value as YAML on one line, as an override takes it. Reading it gives the same value again.
/// Threads: stateless.
std::string flow_text(const YamlNode& node);

}  // namespace shingled::config
