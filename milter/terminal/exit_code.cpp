#include "milter/terminal/exit_code.h"

#include <sysexits.h>

#include <algorithm>
#include <array>

#include "milter/process/exit_code.h"

namespace shingled::milter::terminal {

using process::ExitContext;

int exit_code(ErrorCode code) { return process::exit_code(code, ExitContext::kInput); }

int usage_exit_code(const Error& error) {
  return process::exit_code(error.code, ExitContext::kArgument);
}

int service_exit_code(const Error& error) {
  return process::exit_code(error.code, ExitContext::kService);
}

int database_exit_code(const Error& error) {
  return process::exit_code(error.code, ExitContext::kDatabase);
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

}  // namespace shingled::milter::terminal
