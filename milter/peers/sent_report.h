#pragma once

#include <string>

#include "config/base/result.h"

namespace shingled::milter::peers {

/// What somebody says of a message, on its way to a daemon.
struct SentReport {
  bool spam = true;
  std::string reporter;
  std::string message;  ///< raw RFC 5322
  /// `message` is instead what a history kept of it (milter/reports/kept_code.h).
  bool is_kept = false;
};

/// Whether the same report may be taken another time.
constexpr bool is_for_later(const Error& error) {
  return error.code != ErrorCode::kInvalid && error.code != ErrorCode::kLimit;
}

/// Whether nobody answered at all: then others need not be tried now.
constexpr bool is_away(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kTimeout;
}

}  // namespace shingled::milter::peers
