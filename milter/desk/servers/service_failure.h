#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "config/base/clock.h"
#include "config/options/rule_options.h"
#include "milter/rules/facts.h"
#include "storage/client/remote_store.h"

namespace shingled::milter::desk {

/// A request that a fuzzy server did not answer, or refused.
struct ServiceFailure {
  enum class Kind : std::uint8_t { kRefused, kTimeout, kUnreachable };
  Kind kind = Kind::kTimeout;
  std::string server;
  std::int32_t status = 0;  ///< kRefused
  std::string error;        ///< kUnreachable: the system's reason

  /// Text for the user: the server, its answer, and a hint.
  [[nodiscard]] std::string explain() const;
  /// EX_TEMPFAIL without an answer, EX_UNAVAILABLE when the server, or its storage,
  /// cannot be reached, EX_NOPERM when it refuses us, EX_DATAERR when it refuses this hash.
  [[nodiscard]] int exit_code() const;
};

/// nullopt for a hit, a miss or an update that was made.
std::optional<ServiceFailure> failure_of(const storage::client::RemoteAnswer& answer);

/// The same of a look-up.
std::optional<ServiceFailure> failure_of(const rules::Lookup& lookup);

/// The deadline for the answers of a service: every transmission gets its time.
TimePoint patience(const RemoteOptions& remote, const Clock& clock);

/// For people and JSON: milliseconds with three digits, "0.312".
std::string milliseconds_text(std::chrono::microseconds time);

}  // namespace shingled::milter::desk
