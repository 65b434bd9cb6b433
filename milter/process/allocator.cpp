#include "milter/process/allocator.h"

#include <malloc.h>

namespace shingled::milter::process {

void return_large_blocks() {
  // Once set it does not adapt any more. Ordinary mail has hardly a block of that size.
  constexpr int kLargeBlockBytes = 256 * 1024;
  ::mallopt(M_MMAP_THRESHOLD, kLargeBlockBytes);
}

}  // namespace shingled::milter::process
