#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mime/model/work_meter.h"

namespace shingled::mime {

inline constexpr std::size_t kCalendarLinksMax = 4096;  ///< of one file; the rest is left out

/// What programs show of a calendar file, or of a contact (vCard, RFC 6350), which has the same
/// syntax.
struct CalendarText {
  std::string text;                ///< title, place, description, ..., a line break after each
  std::string html;                ///< the description as HTML (X-ALT-DESC); often empty
  std::vector<std::string> links;  ///< URLs, also "mailto:", as written
  bool truncated = false;          ///< a limit was reached
};

/// Reads the properties that people see, of all components alike: SUMMARY, LOCATION, DESCRIPTION,
/// COMMENT, CONTACT, the name of the ORGANIZER; URL, ATTACH, CONFERENCE, the addresses of ORGANIZER
/// and ATTENDEE, links of X-properties; of contacts also FN, ORG, TITLE, NOTE, ADR, TEL, EMAIL. Not
/// identifiers, time zones and attached bytes.
///
/// Input:   UTF-8; invalid bytes are copied.
/// Output:  not longer than the input.
/// Errors:  none; what `meter` refuses is left out.
/// Threads: stateless.
/// Cost:    linear in the text, paid to `meter`, and charsets of vCalendar 1.0 (charset.h).
CalendarText read_calendar(std::string_view utf8, WorkMeter& meter);

}  // namespace shingled::mime
