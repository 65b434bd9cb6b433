#include "config/system/os_error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

namespace shingled {
namespace {

TEST(OsError, SaysWhatACallerCanDo) {
  struct Case {
    int number;
    ErrorCode read;
    ErrorCode write;
  };
  for (const auto& [number, read, write] : {
           Case{EACCES, ErrorCode::kDenied, ErrorCode::kDenied},
           Case{EPERM, ErrorCode::kDenied, ErrorCode::kDenied},
           Case{ENOENT, ErrorCode::kNotFound, ErrorCode::kNotFound},
           Case{ENOTDIR, ErrorCode::kNotFound, ErrorCode::kNotFound},
           Case{ENOSPC, ErrorCode::kUnavailable, ErrorCode::kUnavailable},
           Case{EDQUOT, ErrorCode::kUnavailable, ErrorCode::kUnavailable},
           Case{EIO, ErrorCode::kUnavailable, ErrorCode::kUnavailable},
           Case{EFBIG, ErrorCode::kUnavailable, ErrorCode::kUnavailable},
           Case{EROFS, ErrorCode::kUnavailable, ErrorCode::kDenied},
           Case{EADDRINUSE, ErrorCode::kUnavailable, ErrorCode::kDenied},
       }) {
    EXPECT_EQ(os_error(number).code, read) << std::strerror(number);
    EXPECT_EQ(os_write_error(number).code, write) << std::strerror(number);
  }
}

TEST(OsError, SaysWhatWasBeingDoneAndTheSystemsReason) {
  EXPECT_EQ(os_error(EACCES).message, "Permission denied");
  EXPECT_EQ(os_error(EACCES, "bind").message, "bind: Permission denied");
  EXPECT_EQ(os_write_error(ENOSPC, "/a").message, "/a: No space left on device");
  EXPECT_EQ(os_error(ErrorCode::kLimit, EACCES, "it"),
            (Error{ErrorCode::kLimit, "it: Permission denied"}));
}

}  // namespace
}  // namespace shingled
