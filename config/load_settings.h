#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/document/places.h"
#include "config/options/settings.h"

namespace shingled::config {

/// Settings, and every problem found. `settings` is set iff no problem is an error.
struct Loaded {
  std::shared_ptr<const Settings> settings;
  std::vector<Problem> problems;  ///< warnings among them
  Places places{};                ///< of the keys that are given
  /// What could be read, with defaults for the rest, so that further checks can tell of other
  /// problems. Never to be used otherwise. Null if nothing could be read.
  std::shared_ptr<const Settings> attempt{};
};

/// Reads settings from YAML text. Keys that are absent keep the defaults of the option structs;
/// unknown and duplicate keys, bad values and contradictions between sections are problems, all
/// reported at once in the order of the text.
///
/// `overrides`: "section.key=value" (value in YAML), each replaces the value that the file
/// has. Their problems come last, with file "-o" and the override's number as line. With
/// `policy.promote: auto` rules are out of shadow by the judgements that are kept beside the
/// history; if they cannot be read, none is, and a warning says so.
/// Threads: stateless.
/// Errors: only in `problems`.
Loaded load_settings(std::string_view yaml, std::string_view file_name,
                     std::span<const std::string> overrides = {});

/// The same from a file. A file that cannot be read is a problem with the system's reason.
Loaded load_settings_file(const std::string& path, std::span<const std::string> overrides = {});

}  // namespace shingled::config
