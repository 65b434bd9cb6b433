#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "config/base/clock.h"
#include "config/options/rule_options.h"
#include "storage/client/remote_store.h"

namespace shingled::milter::cli {

/// A question a fuzzy server did not answer with yes or no.
struct ServiceFailure {
  enum class Kind : std::uint8_t { kRefused, kTimeout, kUnreachable };
  Kind kind = Kind::kTimeout;
  std::string server;
  std::int32_t status = 0;  ///< kRefused
  std::string error;        ///< kUnreachable: the system's reason

  /// For a person: the server, what it said, what may help.
  [[nodiscard]] std::string explain() const;
  /// EX_TEMPFAIL without an answer, EX_UNAVAILABLE when the server, or the storage behind it,
  /// cannot be reached, EX_NOPERM when it refuses us, EX_DATAERR when it refuses this hash.
  [[nodiscard]] int exit_code() const;
};

/// Nothing for a hit, a miss, a done update.
std::optional<ServiceFailure> failure_of(const storage::client::RemoteAnswer& answer);

/// Until when answers of a service are waited for: every transmission its time.
TimePoint patience(const RemoteOptions& remote, const Clock& clock);

/// For people and JSON: milliseconds with three digits, "0.312".
std::string milliseconds_text(std::chrono::microseconds time);

}  // namespace shingled::milter::cli
