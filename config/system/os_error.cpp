#include "config/system/os_error.h"

#include <cerrno>
#include <system_error>

namespace shingled {

std::string os_reason(int number) { return std::generic_category().message(number); }

bool is_refusal(int number) { return number == EACCES || number == EPERM; }

Error os_error(ErrorCode code, int number, std::string_view doing) {
  const Error error{code, os_reason(number)};
  return doing.empty() ? error : error.in(doing);
}

Error os_error(int number, std::string_view doing) {
  ErrorCode code = ErrorCode::kUnavailable;
  if (is_refusal(number)) code = ErrorCode::kDenied;
  if (number == ENOENT || number == ENOTDIR) code = ErrorCode::kNotFound;
  return os_error(code, number, doing);
}

Error os_write_error(int number, std::string_view doing) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EFBIG:
      return os_error(ErrorCode::kUnavailable, number, doing);
    case ENOENT:
    case ENOTDIR:
      return os_error(ErrorCode::kNotFound, number, doing);
    default:
      return os_error(ErrorCode::kDenied, number, doing);
  }
}

}  // namespace shingled
