#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/options/report_options.h"
#include "milter/reports/mailbox_names.h"
#include "mime/fingerprint/piece_shingle.h"

namespace shingled::milter::reports {

/// Says who is meant by the recipient of a message, by the names that reports have.
/// Threads: any.
class PersonNames {
 public:
  /// A file of aliases is looked at so often.
  static constexpr std::chrono::seconds kLookPause{10};

  /// Both must outlive it.
  PersonNames(const Clock& clock, Logger& logger) : clock_(clock), state_(std::in_place, logger) {}

  /// New settings. `site`: nullopt = nobody is known.
  void use(const ReportOptions& options, const std::optional<CounterKeyBytes>& site);
  /// reporter_id() of the mailbox; 0 if nobody is known. `address`: as in RCPT.
  [[nodiscard]] std::uint64_t person_of(std::string_view address);

 private:
  struct State {
    explicit State(Logger& logger) : names(logger) {}

    MailboxNames names;
    std::string domain;
    std::string aliases;
    std::optional<CounterKeyBytes> site;
    std::optional<TimePoint> looked;
  };

  const Clock& clock_;
  Guarded<State> state_;
};

}  // namespace shingled::milter::reports
