#pragma once

#include <optional>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/api/client/daemon_client.h"
#include "milter/rules/facts.h"
#include "milter/view/json.h"

namespace shingled::milter::desk {

/// Further matches of a hit. A packet's answer has room for the best match only, so the API of
/// the local daemon is asked. Without it, or for other servers, nothing is known.
/// Threads: one thread.
/// Cost: one connection for each hit.
class FurtherMatches {
 public:
  FurtherMatches(const Settings& settings, const Clock& clock);

  /// All matches of a hit except the best, best first, as objects with "digest", "exact", "slots",
  /// "prob", "flags", "created", "updated". Null if nothing is known.
  [[nodiscard]] Json of(const rules::Lookup& lookup, const RuleOptions& rule);

 private:
  const std::optional<RemoteOptions> local_;
  api::DaemonClient daemon_;
  bool page_answers_ = true;
};

}  // namespace shingled::milter::desk
