#pragma once

#include <string>
#include <string_view>

#include "config/base/result.h"

namespace shingled {

/// The system's words for an errno: "Permission denied".
/// Threads: any thread.
std::string os_reason(int number);

/// Whether an errno says that we may not: EACCES or EPERM.
bool is_refusal(int number);

/// The error of a failed system call: "DOING: REASON", or the reason alone if `doing` is empty.
/// `number` is its errno.
/// Threads: any thread.
Error os_error(ErrorCode code, int number, std::string_view doing = {});

/// The same, with the code for something that is opened, read or bound: kDenied for a refusal,
/// kNotFound (ENOENT, ENOTDIR), otherwise kUnavailable.
Error os_error(int number, std::string_view doing = {});

/// The same for a file that is made or written: kUnavailable if the disk is the reason (ENOSPC,
/// EDQUOT, EIO, EFBIG), kNotFound (ENOENT, ENOTDIR), otherwise kDenied.
Error os_write_error(int number, std::string_view doing = {});

}  // namespace shingled
