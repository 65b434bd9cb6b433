#include "milter/desk/servers/service_failure.h"

#include <fmt/format.h>
#include <sysexits.h>

#include "storage/protocol/codec.h"

namespace shingled::milter::desk {

namespace {

constexpr std::int32_t kSkippedHash = 401;

/// The meaning of a status (PROTOCOL.md section 2.2).
std::string explain_status(std::int32_t status) {
  switch (status) {
    case kSkippedHash:
      return "this hash is on its skip list (401)";
    case 403:
      return "not allowed, or too many requests (403)";
    case 415:
      return "it accepts only encrypted requests; give its --key (415)";
    case 503:
      return "not allowed; see allow_update, read_only and the disk of the server (503)";
    default:
      return fmt::format("status {}", status);
  }
}

}  // namespace

std::string ServiceFailure::explain() const {
  switch (kind) {
    case Kind::kRefused:
      if (status == storage::protocol::kStatusStoreAway) {
        return fmt::format("{} cannot tell: the storage behind it does not answer (504)", server);
      }
      return fmt::format("{} refused: {}", server, explain_status(status));
    case Kind::kTimeout:
      return fmt::format(
          "{} did not answer: it is not running, has another --key, or packets are dropped",
          server);
    case Kind::kUnreachable:
      return fmt::format("{} cannot be reached: {}", server,
                         error.empty() ? "no reason given" : error);
  }
  return server;
}

int ServiceFailure::exit_code() const {
  switch (kind) {
    case Kind::kRefused:
      if (status == storage::protocol::kStatusStoreAway) return EX_UNAVAILABLE;
      return status == kSkippedHash ? EX_DATAERR : EX_NOPERM;
    case Kind::kTimeout:
      return EX_TEMPFAIL;
    case Kind::kUnreachable:
      return EX_UNAVAILABLE;
  }
  return EX_SOFTWARE;
}

std::optional<ServiceFailure> failure_of(const storage::client::RemoteAnswer& answer) {
  using Outcome = storage::client::RemoteAnswer::Outcome;
  switch (answer.outcome) {
    case Outcome::kHit:
    case Outcome::kMiss:
    case Outcome::kDone:
      return std::nullopt;
    case Outcome::kRefused:
      return ServiceFailure{ServiceFailure::Kind::kRefused, answer.server, answer.status, ""};
    case Outcome::kTimeout:
      return ServiceFailure{ServiceFailure::Kind::kTimeout, answer.server, 0, ""};
    case Outcome::kUnreachable:
      break;
  }
  return ServiceFailure{ServiceFailure::Kind::kUnreachable, answer.server, 0, answer.error};
}

std::optional<ServiceFailure> failure_of(const rules::Lookup& lookup) {
  switch (lookup.outcome) {
    case rules::Lookup::Outcome::kHit:
    case rules::Lookup::Outcome::kMiss:
      return std::nullopt;
    case rules::Lookup::Outcome::kRefused:
      return ServiceFailure{ServiceFailure::Kind::kRefused, lookup.server, lookup.status, ""};
    case rules::Lookup::Outcome::kTimeout:
      return ServiceFailure{ServiceFailure::Kind::kTimeout, lookup.server, 0, ""};
    case rules::Lookup::Outcome::kUnreachable:
      if (lookup.status != 0) {  // it was asked, and said that it could not ask further
        return ServiceFailure{ServiceFailure::Kind::kRefused, lookup.server, lookup.status, ""};
      }
      break;
  }
  return ServiceFailure{ServiceFailure::Kind::kUnreachable, lookup.server, 0, lookup.error};
}

TimePoint patience(const RemoteOptions& remote, const Clock& clock) {
  return clock.now() + remote.timeout * (remote.retransmits + 1);
}

std::string milliseconds_text(std::chrono::microseconds time) {
  return fmt::format("{:.3f}", static_cast<double>(time.count()) / 1000.0);
}

}  // namespace shingled::milter::desk
