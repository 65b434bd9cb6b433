#pragma once

#include <span>
#include <string>

#include "config/document/yaml_document.h"

namespace shingled::config {

/// Puts each "section.key=value" (value in YAML) into the tree as if the file said so, the last one
/// last. A value takes the place of the whole old one, maps and lists too; sections that are absent
/// are made. An override that cannot be read is a problem and changes nothing; one of a key in
/// what is no map changes nothing either.
void apply_overrides(std::span<const std::string> overrides, YamlNode& root,
                     Diagnostics& diagnostics);

}  // namespace shingled::config
