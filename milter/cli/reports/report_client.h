#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/status_options.h"
#include "milter/cli/terminal/console.h"
#include "mime/fingerprint/fingerprint.h"

namespace shingled::milter::cli {

/// The longest name of a reporter that the daemon takes. A much longer one would make a request
/// that no server reads.
constexpr std::size_t kReporterBytesMax = 256;

/// What somebody says of a message.
struct SentReport {
  bool spam = true;
  std::string reporter;
  std::string message;  ///< raw RFC 5322
};

/// Whether the same report may be taken another time.
bool is_for_later(const Error& error);

/// Text as it may stand in the query of a URL: everything but letters and digits as %XX. Pure.
std::string percent_encoded(std::string_view text);

/// Sends reports to the running daemon, at its first address of status.listen.
/// Threads: one thread; waits.
class ReportClient {
 public:
  ReportClient(const StatusOptions& options, const Clock& clock)
      : options_(options), clock_(clock) {}

  /// The receipt (report_pages.h). Then the report is on the daemon's disk.
  /// Errors: kUnavailable and kTimeout (try again later), kInvalid (no report), kDenied (reports
  ///         are off), kLimit (longer than reports.bytes_max), kCorrupt (an answer of another
  ///         kind).
  [[nodiscard]] Result<Json> send(const SentReport& report) const;
  /// {"reporters": [...]}.
  /// Errors: as `send`.
  [[nodiscard]] Result<Json> reporters(std::size_t most) const;

  /// Withdraws the reports of hashes and what matches them, on one list or on all (0). Returns
  /// how many people's they were.
  /// Errors: as `send`.
  [[nodiscard]] Result<std::uint64_t> withdraw(std::span<const Digest> digests,
                                               std::uint32_t flag) const;
  /// {"cases": [...]} (report_pages.h). `since`: Unix seconds.
  /// Errors: as `send`.
  [[nodiscard]] Result<Json> cases(std::int64_t since, std::size_t most, bool names) const;
  /// One case. `ruling`: "close", "reopen", or empty to look at it.
  /// Errors: as `send`; kNotFound.
  [[nodiscard]] Result<Json> one_case(std::string_view id, std::string_view ruling,
                                      bool names) const;

 private:
  [[nodiscard]] Result<Json> call(bool post, std::string target, const std::string& body) const;

  const StatusOptions& options_;
  const Clock& clock_;
};

}  // namespace shingled::milter::cli
