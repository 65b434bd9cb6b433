#pragma once

#include <string>

#include "config/document/yaml_document.h"

namespace shingled::config {

/// A value as YAML on one line, as an override takes it. Reading it gives the same value again.
/// Threads: stateless.
std::string flow_text(const YamlNode& node);

}  // namespace shingled::config
