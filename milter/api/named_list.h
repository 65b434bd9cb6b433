#pragma once

#include <cstdint>

#include "config/options/settings.h"
#include "milter/view/json.h"

namespace shingled::milter::api {

/// Sets "flag", and "name" and "rule" as the first rule of the settings has them; null of a list
/// that no rule names. Pure.
void put_list(std::uint32_t flag, const Settings& settings, Json& object);

}  // namespace shingled::milter::api
