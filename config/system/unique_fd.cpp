#include "config/system/unique_fd.h"

#include <unistd.h>

namespace shingled {

void UniqueFd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace shingled
