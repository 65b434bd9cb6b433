#pragma once

#include <cstdint>
#include <map>

#include "config/options/settings.h"
#include "milter/reports/support.h"

namespace shingled::milter::reports {

/// Which weights of the lists that reports teach do what, by `milter.actions` and the `weight` and
/// `hits_limit` of the list; by number. A score that is null or that the list never reaches is
/// never reached: then each person only makes the list heavier. Of several rules with one number
/// the first one decides. Pure.
/// Cost: some sixty scores a list.
std::map<std::uint32_t, ListSteps> list_steps(const Settings& settings);

}  // namespace shingled::milter::reports
