#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/result.h"
#include "milter/api/client/daemon_client.h"
#include "milter/peers/sent_report.h"
#include "milter/view/json.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::milter::desk {

/// The longest name of a reporter that the daemon takes. A much longer one would make a request
/// that no server reads.
constexpr std::size_t kReporterBytesMax = 256;

using peers::SentReport;

/// Sends reports to the running daemon.
/// Threads: one thread; waits.
class ReportClient {
 public:
  explicit ReportClient(api::DaemonClient daemon) : daemon_(std::move(daemon)) {}

  /// The receipt (report_resource.h). Then the report is on the daemon's disk.
  /// Errors: kUnavailable and kTimeout (try again later), kInvalid (no report), kDenied (reports
  ///         are off), kLimit (longer than reports.bytes_max), kCorrupt (an answer of another
  ///         kind).
  [[nodiscard]] Result<Json> send(const SentReport& report) const;
  /// The same for a message of the history (history::MessageName).
  /// Errors: as `send`; kNotFound: there is none; kInvalid: several have the name, or nothing is
  ///         kept of it.
  [[nodiscard]] Result<Json> send_named(std::string_view message, const SentReport& report) const;
  /// {"reporters": [...]}.
  /// Errors: as `send`.
  [[nodiscard]] Result<Json> reporters(std::size_t most) const;

  /// Withdraws the reports of hashes and what matches them, on one list or on all (0). Returns
  /// how many people's they were.
  /// Errors: as `send`.
  [[nodiscard]] Result<std::uint64_t> withdraw(std::span<const Digest> digests,
                                               std::uint32_t flag) const;
  /// {"cases": [...]} (report_resource.h). `since`: Unix seconds.
  /// Errors: as `send`.
  [[nodiscard]] Result<Json> cases(std::int64_t since, std::size_t most, bool names) const;
  /// One case. `ruling`: "close", "reopen", or empty to look at it.
  /// Errors: as `send`; kNotFound.
  [[nodiscard]] Result<Json> one_case(std::string_view id, std::string_view ruling,
                                      bool names) const;

 private:
  api::DaemonClient daemon_;
};

}  // namespace shingled::milter::desk
