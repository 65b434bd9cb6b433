#pragma once

#include "config/base/result.h"

namespace shingled::milter::api {

/// The status of a reply that says an error, the same on all pages:
///   400 kInvalid    403 kDenied    404 kNotFound    500 kCorrupt, kInternal: trying again is vain
///   503 all others: the same request may come again later
/// Threads: stateless.
constexpr unsigned error_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return 400;
    case ErrorCode::kDenied:
      return 403;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kCorrupt:
    case ErrorCode::kInternal:
      return 500;
    case ErrorCode::kLimit:
    case ErrorCode::kTimeout:
    case ErrorCode::kUnavailable:
      break;
  }
  return 503;
}

}  // namespace shingled::milter::api
