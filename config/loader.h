#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/diagnostics.h"
#include "config/options/settings.h"

namespace shingled::config {

/// The work of load_settings(), with what it found out in `diagnostics`. The settings are worth
/// something only where there was no problem.
Settings load(std::string_view yaml, std::span<const std::string> overrides,
              Diagnostics& diagnostics);

}  // namespace shingled::config
