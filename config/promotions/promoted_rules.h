#pragma once

#include "config/base/result.h"
#include "config/options/settings.h"
#include "config/promotions/judgements.h"

namespace shingled::config {

/// Takes the rules out of shadow that these judgements promote, and no other: those that are still
/// what was judged, and that `policy.live` does not keep in shadow. It takes none
/// without `promote: auto` or without a history, which could not say when a rule's figures turn.
/// Threads: stateless.
void use_promotions(const Judgements& judgements, Settings& settings);

/// The same with the file of the settings, which is only read where it can matter.
/// Errors:  those of read_judgements; then no rule is out of shadow by its figures.
/// Threads: any thread.
Status use_promotions(Settings& settings);

}  // namespace shingled::config
