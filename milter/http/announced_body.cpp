#include "milter/http/announced_body.h"

#include "config/base/ascii.h"
#include "config/base/number_text.h"

namespace shingled::milter::http {

void AnnouncedBody::see(std::string_view name, std::string_view value) {
  if (ascii::equal_ignoring_case(name, "Transfer-Encoding")) present = chunked = true;
  if (!ascii::equal_ignoring_case(name, "Content-Length")) return;
  ++lengths;
  if (value == "0") return;
  present = true;
  bytes = parse_whole<std::uint64_t>(value).value_or(UINT64_MAX);
}

}  // namespace shingled::milter::http
