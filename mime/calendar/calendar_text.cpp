#include "mime/calendar/calendar_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "config/base/ascii.h"
#include "mime/calendar/calendar_lines.h"
#include "mime/charset/charset.h"
#include "mime/message/transfer_decoding.h"

namespace shingled::mime {
namespace {

constexpr Steps kStepsACalendarByte = 20;

constexpr auto kTexts =
    std::to_array<std::string_view>({"SUMMARY", "LOCATION", "DESCRIPTION", "COMMENT", "CONTACT",
                                     "FN", "ORG", "TITLE", "NOTE", "ADR", "TEL", "EMAIL"});
constexpr auto kLinks = std::to_array<std::string_view>(
    {"URL", "ATTACH", "CONFERENCE", "IMAGE", "SOURCE", "ORGANIZER", "ATTENDEE"});

template <std::size_t N>
bool is_one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

bool begins_link(std::string_view text) {
  return ascii::starts_with_ignoring_case(text, "http://") ||
         ascii::starts_with_ignoring_case(text, "https://");
}

/// The value as text in UTF-8.
std::string decoded_value(const CalendarProperty& property, WorkMeter& meter) {
  const bool base64 = ascii::equal_ignoring_case(property.parameter("ENCODING"), "BASE64");
  if (!base64 && !property.is_quoted_printable()) return unescaped(property.value);
  const std::string bytes = base64 ? decode_base64(property.value, property.value.size())
                                   : decode_quoted_printable(property.value, property.value.size());
  std::string storage;
  const std::string_view charset = property.parameter("CHARSET");
  return unescaped(decode_text(bytes, charset, kUtf8BytesMax * bytes.size(), storage, meter).utf8);
}

class CalendarReader {
 public:
  explicit CalendarReader(WorkMeter& meter) : meter_(meter) {}

  void add(const CalendarProperty& property) {
    if (property.name == "X-ALT-DESC" || property.name == "STYLED-DESCRIPTION") {
      const bool plain = ascii::equal_ignoring_case(property.parameter("FMTTYPE"), "text/plain");
      append_line(plain ? out_.text : out_.html, property);
    } else if (is_one_of(property.name, kTexts)) {
      append_line(out_.text, property);
      if (begins_link(property.parameter("ALTREP"))) {
        add_link(std::string(property.parameter("ALTREP")));
      }
    } else if (is_one_of(property.name, kLinks)) {
      add_target(property);
    } else if (property.name.starts_with("X-") && begins_link(property.value)) {
      add_link(unescaped(property.value));
    }
  }

  CalendarText take() { return std::move(out_); }

 private:
  void append_line(std::string& to, const CalendarProperty& property) {
    const std::string text = decoded_value(property, meter_);
    if (ascii::trim_space(text).empty()) return;
    to += text;
    to += '\n';
  }

  void add_target(const CalendarProperty& property) {
    if (property.name == "ORGANIZER" && !property.parameter("CN").empty()) {
      out_.text += property.parameter("CN");
      out_.text += '\n';
    }
    const bool bytes = ascii::equal_ignoring_case(property.parameter("VALUE"), "BINARY") ||
                       ascii::equal_ignoring_case(property.parameter("ENCODING"), "BASE64");
    if (bytes) return;
    std::string link = decoded_value(property, meter_);
    // Some write a sentence with a link there.
    if (link.find(' ') != std::string::npos) out_.text += link + '\n';
    add_link(std::move(link));
  }

  void add_link(std::string link) {
    if (out_.links.size() == kCalendarLinksMax) {
      out_.truncated = true;
      return;
    }
    out_.links.push_back(std::move(link));
  }

  WorkMeter& meter_;
  CalendarText out_;
};

}  // namespace

CalendarText read_calendar(std::string_view utf8, WorkMeter& meter) {
  CalendarReader reader(meter);
  if (!meter.spend(utf8.size(), kStepsACalendarByte)) return {};
  CalendarLines lines(utf8);
  CalendarProperty property;
  while (!meter.refused() && lines.next(property)) reader.add(property);
  return reader.take();
}

}  // namespace shingled::mime
