#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/status_options.h"
#include "milter/cli/terminal/console.h"

namespace shingled::milter::cli {

/// The status pages of the daemon that runs with these settings, on its first address, a wildcard
/// replaced by loopback.
/// Threads: one thread.
/// Cost: a connection a page.
class StatusPage {
 public:
  StatusPage(const StatusOptions& options, const Clock& clock) : options_(options), clock_(clock) {}

  /// A page that is JSON: "/stat", "/matches?...".
  /// Errors: kUnavailable (there is none, or nobody answers), kTimeout, kInvalid (another answer).
  [[nodiscard]] Result<Json> get(const std::string& target) const;

 private:
  const StatusOptions& options_;
  const Clock& clock_;
};

}  // namespace shingled::milter::cli
