// A line of ssdeep's CSV. A signature that was read is written as a line that is read as the same
// signature, and with the same name unless the name has a line break.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "milter/similar/files/signature_csv.h"

using namespace shingled::milter;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  static_cast<void>(similar::begins_signature_list(line));
  const auto row = similar::parse_signature_line(line);
  if (!row) return 0;
  const auto again =
      similar::parse_signature_line(similar::signature_line(row->signature, row->name));
  if (!again || !(again->signature == row->signature)) std::abort();
  if (row->name.find('\n') == std::string::npos && again->name != row->name) std::abort();
  return 0;
}
