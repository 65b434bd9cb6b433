#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace shingled::mime
