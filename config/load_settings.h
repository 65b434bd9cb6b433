#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/settings.h"

namespace shingled::config {

/// One thing wrong with a configuration.
struct Problem {
  std::string file;  ///< or "-o" for an override
  int line = 0;      ///< from 1; 0 = the whole file
  int column = 0;    ///< from 1
  std::string key;   ///< "storage.expire"; empty for the whole file
  std::string what;  ///< what is wrong, and what is allowed

  /// `file:line:column: key: what`
  [[nodiscard]] std::string to_string() const;
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Settings, or every problem found. `settings` is set iff `problems` is empty.
struct Loaded {
  std::shared_ptr<const Settings> settings;
  std::vector<Problem> problems;
};

/// Reads settings from YAML text. Keys that are absent keep the defaults of the option structs;
/// unknown and duplicate keys, bad values and contradictions between sections are problems, all
/// reported at once in the order of the text.
///
/// `overrides`: "section.key=value" (value in YAML), applied last.   Threads: stateless.   Errors:
/// only in `problems`.
Loaded load_settings(std::string_view yaml, std::string_view file_name,
                     std::span<const std::string> overrides = {});

/// The same from a file. An unreadable file is a problem with the system's reason.
Loaded load_settings_file(const std::string& path, std::span<const std::string> overrides = {});

}  // namespace shingled::config
