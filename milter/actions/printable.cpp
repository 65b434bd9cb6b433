#include "milter/actions/printable.h"

#include <algorithm>

namespace shingled::milter::actions {

std::string printable(std::string_view text, std::size_t bytes_max) {
  std::string safe(text.substr(0, bytes_max));
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return safe;
}

}  // namespace shingled::milter::actions
