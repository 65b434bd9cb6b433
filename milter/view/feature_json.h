#pragma once

#include <string>

#include "milter/features/counter_needs.h"
#include "milter/features/feature.h"
#include "milter/view/json.h"

namespace shingled::milter::view {

// All are pure.

/// Every feature by its name: a number, true or false, or a word; null if it is unknown.
Json features_json(const features::FeatureValues& values);
/// Each name with the list of its values; null if it is unknown.
Json names_json(const features::MessageNames& names);

/// "mass 12, complainers 2": what is not 0; "0" if there is nothing.
std::string sums_text(const features::Sums& sums);
/// {"mass": 12, "complainers": 2}: what is not 0.
Json sums_json(const features::Sums& sums);

}  // namespace shingled::milter::view
