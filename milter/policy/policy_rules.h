#pragma once

#include <memory>
#include <vector>

#include "config/document/places.h"
#include "config/options/settings.h"
#include "milter/names/list_files.h"
#include "milter/policy/check_condition.h"
#include "milter/policy/compile_rules.h"

namespace shingled::milter::policy {

/// What conditions can be about with these settings: the symbols of all other sources, and what is
/// always unknown.
/// Threads: stateless.
CheckContext check_context(const Settings& settings);

/// The rules of the settings, and all that is wrong with them.
struct PolicyRules {
  std::shared_ptr<const CompiledRules> rules;  ///< set iff no problem is an error
  /// `FILE:LINE:COLUMN: rule NAME: what is wrong; did you mean 'hint'?`, by rule. The place is that
  /// of the mistake inside the condition.
  std::vector<config::Problem> problems;
};

/// The lists of names that these settings ask: the allow and the block list, and those of rules.
std::vector<names::ListFile> list_files_of(const PolicyOptions& options,
                                           const CompiledRules& rules);

/// Checks and compiles rules as they were written. Without rules the result has none.
/// Threads: stateless.
/// Cost:    linear in the conditions; a message does not wait for it.
PolicyRules policy_rules(const PolicyOptions& options, const CheckContext& context);
PolicyRules policy_rules(const Settings& settings);

}  // namespace shingled::milter::policy
