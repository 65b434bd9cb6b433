#pragma once

#include <string>

#include "milter/cli/terminal/console.h"
#include "milter/features/feature.h"
#include "milter/features/name.h"
#include "storage/counters/counter.h"

namespace shingled::milter::cli {

/// Every feature by its name: a number, true or false, or a word; null if it is unknown.
Json features_json(const features::FeatureValues& values);
/// Each name with the list of its values; null if it is unknown.
Json names_json(const features::MessageNames& names);

/// "mass 12, bytes 3400": what is not 0; "0" if nothing was counted.
std::string amounts_text(const storage::counters::Amounts& amounts);

}  // namespace shingled::milter::cli
