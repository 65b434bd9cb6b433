#pragma once

#include "config/keys/key_table.h"
#include "config/options/settings.h"

namespace shingled::config {

/// All options of shingled.yaml, a line each, in the order of the shipped file. Made once.
/// Threads: any.
const Keys<Settings>& settings_keys();
/// The options of one rule, one of its lists and one list of known files: the keys of the maps
/// `rules.NAME`, `rules.NAME.flags.LIST` and `similar.lists`.
const Keys<RuleOptions>& rule_keys();
const Keys<FlagOptions>& flag_keys();
const Keys<SimilarList>& similar_list_keys();

}  // namespace shingled::config
