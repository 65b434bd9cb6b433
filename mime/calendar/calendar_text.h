#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mime/model/work_meter.h"

namespace shingled::mime {

/// A property of a calendar file, unfolded: "SUMMARY;LANGUAGE=en:Meeting".
struct CalendarProperty {
  std::string name;        ///< in capitals, without a group
  std::string parameters;  ///< as written: "LANGUAGE=en"; may be empty
  std::string value;       ///< still escaped and encoded

  /// The value of a parameter without its quotes; empty if it is missing. `parameter` in capitals.
  [[nodiscard]] std::string_view parameter(std::string_view wanted) const;
  [[nodiscard]] bool is_quoted_printable() const;
};

/// Takes a calendar file apart: RFC 5545 3.1, and vCalendar 1.0, whose quoted-printable values
/// continue in the next line after a "=". A library for calendars (libical) builds events and time
/// zones of it; of these we need none.
///
/// Input:   any text; line breaks CRLF, LF or CR.
/// Errors:  none; lines without a colon are skipped.
/// Threads: one.
/// Cost:    linear in the text.
class CalendarLines {
 public:
  explicit CalendarLines(std::string_view text) : rest_(text) {}
  /// Reads the next property into `property`. Returns false at the end.
  bool next(CalendarProperty& property);

 private:
  std::string_view take_line();
  [[nodiscard]] bool continues() const;

  std::string_view rest_;
  std::string line_;  ///< unfolded
};

/// The text of a value: "\n" is a line break; "\,", "\;", "\:" and "\\" are the characters.
std::string unescaped(std::string_view value);

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
