#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/document/yaml_document.h"

namespace shingled::config {

/// Puts each "section.key=value" (value in YAML) into the tree as if the file had it; later
/// overrides win. A value replaces the whole old value, also a map or a list; missing sections are
/// made. An override that cannot be read is a problem and changes nothing; an override of a key
/// inside a scalar or a list changes nothing either.
void apply_overrides(std::span<const std::string> overrides, YamlNode& root,
                     Diagnostics& diagnostics);

/// The overrides that variables SHINGLED_SECTION__KEY=value stand for, "section.key=value", sorted
/// by name: capitals become small, two underscores a dot. An empty variable is as good as none,
/// since containers pass on variables that nobody has set; one without two underscores between
/// other characters is another program's.
///
/// A value in the environment is not shown to other users, as one on the command line is.
/// `environment`: as environ(7), with a null pointer at its end.
/// Threads: stateless.
std::vector<std::string> environment_overrides(const char* const* environment);

}  // namespace shingled::config
