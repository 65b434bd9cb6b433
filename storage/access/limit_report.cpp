#include "storage/access/limit_report.h"

namespace shingled::storage::access {

void LimitReport::note(const Network& network, bool banned, bool log_only, TimePoint now) {
  refused_.fetch_add(1, std::memory_order_relaxed);
  if (banned) bans_.fetch_add(1, std::memory_order_relaxed);
  if (!line_.pass(now)) return;
  logger_.warning(LogLine("fuzzy_ratelimited")
                      .field("network", network.to_string())
                      .field("banned", banned)
                      .field("log_only", log_only)
                      .field("requests_in_all", refused())
                      .field("bans_in_all", bans()));
}

}  // namespace shingled::storage::access
