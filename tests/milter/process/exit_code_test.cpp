#include "milter/process/exit_code.h"

#include <gtest/gtest.h>
#include <sysexits.h>

namespace shingled::milter::process {
namespace {

TEST(ExitCode, ADaemonWithoutASettingOrAFileIsMisconfigured) {
  EXPECT_EQ(exit_code(ErrorCode::kInvalid, ExitContext::kDaemon), EX_CONFIG);
  EXPECT_EQ(exit_code(ErrorCode::kNotFound, ExitContext::kDaemon), EX_CONFIG);
  EXPECT_EQ(exit_code(ErrorCode::kCorrupt, ExitContext::kDaemon), EX_DATAERR);
}

TEST(ExitCode, ADaemonWithoutResourcesDoesNotReturnTempfail) {
  for (const ErrorCode code : {ErrorCode::kLimit, ErrorCode::kTimeout, ErrorCode::kUnavailable}) {
    EXPECT_EQ(exit_code(code, ExitContext::kDaemon), EX_UNAVAILABLE);
  }
}

TEST(ExitCode, AMessageIsTriedAgainOnlyIfThatMayHelp) {
  EXPECT_EQ(exit_code(ErrorCode::kInvalid, ExitContext::kInput), EX_DATAERR);
  EXPECT_EQ(exit_code(ErrorCode::kNotFound, ExitContext::kInput), EX_NOINPUT);
  EXPECT_EQ(exit_code(ErrorCode::kLimit, ExitContext::kInput), EX_TEMPFAIL);
  EXPECT_EQ(exit_code(ErrorCode::kTimeout, ExitContext::kInput), EX_TEMPFAIL);
}

TEST(ExitCode, ADatabaseThatIsInUseIsTriedAgain) {
  EXPECT_EQ(exit_code(ErrorCode::kUnavailable, ExitContext::kDatabase), EX_TEMPFAIL);
  EXPECT_EQ(exit_code(ErrorCode::kUnavailable, ExitContext::kInput), EX_UNAVAILABLE);
}

TEST(ExitCode, RefusalsAndBugsAreTheSameInAllContexts) {
  for (const ExitContext context :
       {ExitContext::kDaemon, ExitContext::kInput, ExitContext::kArgument, ExitContext::kService,
        ExitContext::kDatabase}) {
    EXPECT_EQ(exit_code(ErrorCode::kDenied, context), EX_NOPERM);
    EXPECT_EQ(exit_code(ErrorCode::kInternal, context), EX_SOFTWARE);
  }
}

}  // namespace
}  // namespace shingled::milter::process
