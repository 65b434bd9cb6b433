#pragma once

#include <span>
#include <string>

#include "config/document/yaml_document.h"

namespace shingled::config {

/// Puts each "section.key=value" (value in YAML) into the tree as if the file had it; later
/// overrides win. A value replaces the whole old value, also a map or a list; missing sections are
/// made. An override that cannot be read is a problem and changes nothing; an override of a key
/// inside a scalar or a list changes nothing either.
void apply_overrides(std::span<const std::string> overrides, YamlNode& root,
                     Diagnostics& diagnostics);

}  // namespace shingled::config
