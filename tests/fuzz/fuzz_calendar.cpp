// Files that are texts for programs: calendars, and SVG pictures. What is read of one is bounded,
// and a folded calendar says the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mime/calendar/calendar_text.h"
#include "mime/pieces/svg_text.h"

using namespace shingled::mime;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::size_t size_of(const std::vector<std::string>& links) {
  std::size_t size = 0;
  for (const std::string& link : links) size += link.size();
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  WorkMeter meter(1'000'000'000);
  const CalendarText calendar = read_calendar(bytes, meter);
  require(calendar.links.size() <= kCalendarLinksMax);
  // A charset of one byte a character may need three in UTF-8.
  require(calendar.text.size() + calendar.html.size() <= 4 * size + 1);
  const SvgText svg = read_svg(bytes);
  require(svg.links.size() <= kSvgLinksMax);
  require(svg.text.size() + size_of(svg.links) <= 2 * size);
  return 0;
}
