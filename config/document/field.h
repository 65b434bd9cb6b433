#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/document/diagnostics.h"
#include "config/document/yaml_document.h"
#include "config/system/socket_address.h"

namespace shingled::config {

/// Whether problems may quote the text. Near the place of a secret any value may be the secret.
enum class Quoting : std::uint8_t {
  kText,
  kWords,  ///< only words that are too short for a key
};

/// One value of the text, with the name that problems use for it. Valid as long as the tree.
class Field {
 public:
  Field(const YamlNode& node, std::string key, Diagnostics& diagnostics,
        Quoting quoting = Quoting::kText)
      : node_(&node), key_(std::move(key)), diagnostics_(&diagnostics), quoting_(quoting) {}

  [[nodiscard]] const YamlNode& node() const { return *node_; }
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] Diagnostics& diagnostics() const { return *diagnostics_; }
  [[nodiscard]] bool is_null() const { return node_->kind == YamlNode::Kind::kNull; }

  void problem(std::string_view what) const { diagnostics_->add(node_->position, key_, what); }
  /// "WHAT; allowed: ALLOWED"
  void problem(std::string_view what, std::string_view allowed) const;
  /// The text of a scalar; nullopt and a problem if it is something else.
  [[nodiscard]] std::optional<std::string_view> scalar(std::string_view allowed) const;
  /// The values of a list. A scalar is a list of one value.
  [[nodiscard]] std::vector<Field> list() const;
  /// The values of a list of words (sockets, networks, globs): a scalar has its words between
  /// commas or blanks. Another kind of value is a problem.
  [[nodiscard]] std::vector<std::pair<Field, std::string>> words(std::string_view allowed) const;
  /// A problem with this field's text: "'x' is WHAT; allowed: ALLOWED"
  void refuse(std::string_view what, std::string_view allowed) const {
    refuse(node_->text, what, allowed);
  }
  /// The same for one word of it.
  void refuse(std::string_view word, std::string_view what, std::string_view allowed) const;

 private:
  const YamlNode* node_;
  std::string key_;
  Diagnostics* diagnostics_;
  Quoting quoting_;
};

/// A socket in one of the notations of SocketSpec; nullopt and a problem of `field` for other text.
std::optional<SocketSpec> read_socket(const Field& field, std::string_view text,
                                      std::uint16_t default_port);

}  // namespace shingled::config
