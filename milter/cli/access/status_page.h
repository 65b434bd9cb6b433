#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/status_options.h"
#include "milter/cli/terminal/console.h"

namespace shingled::milter::cli {

/// Reads status pages of the daemon that runs with these settings, from its first address, with
/// loopback in place of a wildcard.
/// Threads: one thread.
/// Cost: one connection per page.
class StatusPage {
 public:
  StatusPage(const StatusOptions& options, const Clock& clock) : options_(options), clock_(clock) {}

  /// A page in JSON: "/stat", "/matches?...".
  /// Errors: kUnavailable (not listening, or no answer), kTimeout, kInvalid (not JSON).
  [[nodiscard]] Result<Json> get(const std::string& target) const;

 private:
  const StatusOptions& options_;
  const Clock& clock_;
};

}  // namespace shingled::milter::cli
