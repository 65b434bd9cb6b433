#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/load_settings.h"

namespace shingled::config {

/// One key of the configuration in force.
struct EffectiveKey {
  std::string key;  ///< "rules.local.timeout"
  std::string
      value;  ///< YAML on one line, as an override takes it; for a secret only that there is one
  std::string source;  ///< "FILE:LINE", "-o" or "default"
  bool is_secret = false;
};

/// Every key with the value in force, in the order of the shipped file; empty if `problems` has
/// an error. Given back as overrides, all that are not secrets make the same settings.
struct Effective {
  std::vector<EffectiveKey> keys;
  std::vector<Problem> problems;
};

/// As load_settings().
Effective effective_settings(std::string_view yaml, std::string_view file_name,
                             std::span<const std::string> overrides = {});
/// As load_settings_file().
Effective effective_settings_file(const std::string& path,
                                  std::span<const std::string> overrides = {});

/// The value of a key that was an option once, such as "mime.words_max" or
/// "rules.local.errors_max". Of all other texts "".
/// Threads: any.
std::string constant_value(std::string_view key);

}  // namespace shingled::config
