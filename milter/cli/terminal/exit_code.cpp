#include "milter/cli/terminal/exit_code.h"

#include <sysexits.h>

#include <algorithm>
#include <array>

namespace shingled::milter::cli {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kCorrupt:
      return EX_DATAERR;
    case ErrorCode::kNotFound:
      return EX_NOINPUT;
    case ErrorCode::kDenied:
      return EX_NOPERM;
    case ErrorCode::kLimit:
    case ErrorCode::kTimeout:
      return EX_TEMPFAIL;
    case ErrorCode::kUnavailable:
      return EX_UNAVAILABLE;
    case ErrorCode::kInternal:
      return EX_SOFTWARE;
  }
  return EX_SOFTWARE;
}

int usage_exit_code(const Error& error) {
  return error.code == ErrorCode::kInvalid ? EX_USAGE : exit_code(error.code);
}

int service_exit_code(const Error& error) {
  return error.code == ErrorCode::kNotFound ? EX_UNAVAILABLE : usage_exit_code(error);
}

int worse_exit_code(int a, int b) {
  constexpr std::array kFromBadToWorse = {EX_OK,       EX_DATAERR, EX_NOINPUT,
                                          EX_TEMPFAIL, EX_NOPERM,  EX_UNAVAILABLE};
  // A code that is not in the list (EX_SOFTWARE, EX_IOERR, an interrupt) comes after all others: it
  // is the worst.
  const auto rank = [&](int code) {
    return std::find(kFromBadToWorse.begin(), kFromBadToWorse.end(), code);
  };
  return rank(b) > rank(a) ? b : a;
}

}  // namespace shingled::milter::cli
