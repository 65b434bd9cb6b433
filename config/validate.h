#pragma once

#include "config/document/yaml_document.h"
#include "config/options/settings.h"

namespace shingled::config {

/// Reports contradictions between sections: rules without a storage, two services on one port.
/// `root` gives the positions.
void validate(const Settings& settings, const YamlNode& root, Diagnostics& diagnostics);

}  // namespace shingled::config
