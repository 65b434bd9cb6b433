#pragma once

#include <vector>

#include "milter/actions/mta.h"

namespace shingled::milter::actions {

/// All that is to be done about a message, decided but not done.
struct Decision {
  rules::Verdict verdict;
  std::vector<HeaderEdit> edits;  ///< for a message that goes on: removals first
  std::optional<Reply> reply;     ///< for one that is refused
};

/// Puts a decision together: which edits, which reply. Pure.
Decision decide(rules::Verdict verdict, const rules::Facts& facts, const ForgedHeaders& forged,
                const MilterOptions& options);

/// Asks the MTA for it. A dry run never gets here.
/// Errors: the first request the MTA declined; what could be done is done.
Status apply(const Decision& decision, Mta& mta);

}  // namespace shingled::milter::actions
