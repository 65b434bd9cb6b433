#include "config/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace shingled {

void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "shingled: assertion failed, which is a bug: %s (%s:%d)\n", condition, file,
               line);
  std::abort();
}

}  // namespace shingled
