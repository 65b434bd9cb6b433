#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/document/diagnostics.h"
#include "config/document/yaml_document.h"
#include "config/options/settings.h"

namespace shingled::config {

/// The text as a tree with the overrides in it; an empty tree if the text is not valid YAML.
YamlNode read_tree(std::string_view yaml, std::span<const std::string> overrides,
                   Diagnostics& diagnostics);
/// The settings of a tree. `diagnostics` refers to values of the tree, so the tree must live as
/// long.
Settings load_tree(const YamlNode& root, Diagnostics& diagnostics);

/// The work of load_settings(), with all that it found out in `diagnostics`. The settings are only
/// valid if there was no problem.
Settings load(std::string_view yaml, std::span<const std::string> overrides,
              Diagnostics& diagnostics);

/// Multiplies the scores of files of rules that are made for other thresholds (PolicyScale) than
/// `milter.actions`: else they would stop wanted mail, or nothing. Warns of it. Scores that
/// another file gives stay as they are.
void fit_scales(Settings& settings, Diagnostics& diagnostics);

/// Reports contradictions between sections: rules without a storage, two services on one port.
/// `root` gives the positions.
void validate(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics);

}  // namespace shingled::config
