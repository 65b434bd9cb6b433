#include "milter/process/exit_code.h"

#include <sysexits.h>

#include <array>
#include <cstddef>

namespace shingled::milter::process {

namespace {

struct Row {
  ErrorCode code;
  std::array<int, 5> exit_codes;  ///< in the order of ExitContext
};

// clang-format off
constexpr std::array<Row, 8> kTable = {{
    //                         kDaemon         kInput          kArgument       kService        kDatabase
    {ErrorCode::kInvalid,     {EX_CONFIG,      EX_DATAERR,     EX_USAGE,       EX_USAGE,       EX_DATAERR}},
    {ErrorCode::kNotFound,    {EX_CONFIG,      EX_NOINPUT,     EX_NOINPUT,     EX_UNAVAILABLE, EX_NOINPUT}},
    {ErrorCode::kCorrupt,     {EX_DATAERR,     EX_DATAERR,     EX_DATAERR,     EX_DATAERR,     EX_DATAERR}},
    {ErrorCode::kDenied,      {EX_NOPERM,      EX_NOPERM,      EX_NOPERM,      EX_NOPERM,      EX_NOPERM}},
    {ErrorCode::kLimit,       {EX_UNAVAILABLE, EX_TEMPFAIL,    EX_TEMPFAIL,    EX_TEMPFAIL,    EX_TEMPFAIL}},
    {ErrorCode::kTimeout,     {EX_UNAVAILABLE, EX_TEMPFAIL,    EX_TEMPFAIL,    EX_TEMPFAIL,    EX_TEMPFAIL}},
    {ErrorCode::kUnavailable, {EX_UNAVAILABLE, EX_UNAVAILABLE, EX_UNAVAILABLE, EX_UNAVAILABLE, EX_TEMPFAIL}},
    {ErrorCode::kInternal,    {EX_SOFTWARE,    EX_SOFTWARE,    EX_SOFTWARE,    EX_SOFTWARE,    EX_SOFTWARE}},
}};
// clang-format on

}  // namespace

int exit_code(ErrorCode code, ExitContext context) {
  for (const Row& row : kTable) {
    if (row.code == code) return row.exit_codes[static_cast<std::size_t>(context)];
  }
  return EX_SOFTWARE;
}

}  // namespace shingled::milter::process
