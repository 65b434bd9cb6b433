#pragma once

#include <memory>
#include <string>
#include <utility>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "milter/features/feature.h"
#include "milter/judge/scanner.h"
#include "milter/policy/compile_rules.h"

namespace shingled::milter::policy {

/// Reads the features of message files, as the milter does. Nobody is asked: what comes from the
/// envelope, from other servers and from the time of day is unknown.
/// Threads: one thread.
class CaseMessages {
 public:
  /// `folder`: where relative names of messages begin.
  /// Errors: those of Scanner::open.
  static Result<CaseMessages> open(const Settings& settings, const policy::CompiledRules& rules,
                                   std::string folder);

  /// Adds what the message says to `features`; what is known there stays.
  /// Errors: kNotFound, kDenied, kUnavailable (a file that cannot be read), kInvalid (longer than
  ///         milter.message_bytes_max; an mbox with other than one message).
  Status add_to(features::FeatureValues& features, const std::string& file) const;

 private:
  explicit CaseMessages(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
  std::unique_ptr<SystemClock> clock_ = std::make_unique<SystemClock>();
  std::unique_ptr<SystemRandom> random_ = std::make_unique<SystemRandom>();
  std::unique_ptr<judge::Scanner> scanner_;
};

}  // namespace shingled::milter::policy
