#include "milter/terminal/exit_code.h"

#include <gtest/gtest.h>
#include <sysexits.h>

namespace shingled::milter::terminal {
namespace {

TEST(ExitCode, TheWorseOneStays) {
  EXPECT_EQ(worse_exit_code(EX_OK, EX_OK), EX_OK);
  EXPECT_EQ(worse_exit_code(EX_OK, EX_DATAERR), EX_DATAERR);
  EXPECT_EQ(worse_exit_code(EX_UNAVAILABLE, EX_DATAERR), EX_UNAVAILABLE);
  EXPECT_EQ(worse_exit_code(EX_DATAERR, EX_NOINPUT), EX_NOINPUT);
  EXPECT_EQ(worse_exit_code(EX_NOPERM, EX_TEMPFAIL), EX_NOPERM);
  EXPECT_EQ(worse_exit_code(EX_SOFTWARE, EX_UNAVAILABLE), EX_SOFTWARE);
}

TEST(ExitCode, AnArgumentThatIsWrongIsAUsageError) {
  EXPECT_EQ(usage_exit_code({ErrorCode::kInvalid, ""}), EX_USAGE);
  EXPECT_EQ(usage_exit_code({ErrorCode::kUnavailable, ""}), EX_UNAVAILABLE);
}

TEST(ExitCode, AHostWithoutAnAddressIsAServerThatCannotBeReached) {
  EXPECT_EQ(service_exit_code({ErrorCode::kNotFound, ""}), EX_UNAVAILABLE);
  EXPECT_EQ(service_exit_code({ErrorCode::kUnavailable, ""}), EX_UNAVAILABLE);
  EXPECT_EQ(service_exit_code({ErrorCode::kInvalid, ""}), EX_USAGE);
}

}  // namespace
}  // namespace shingled::milter::terminal
