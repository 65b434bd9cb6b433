#include "mime/calendar/calendar_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "config/base/ascii.h"
#include "mime/charset/charset.h"
#include "mime/message/transfer_decoding.h"

namespace shingled::mime {
namespace {

/// Where `wanted` comes outside of quotes; the size of the text if it does not.
std::size_t find_unquoted(std::string_view text, std::string_view wanted) {
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (!quoted && wanted.find(text[at]) != std::string_view::npos) return at;
  }
  return text.size();
}

/// Where the value begins. Programs that forget the second quote of a name have a colon after it.
std::size_t find_colon(std::string_view line) {
  const std::size_t colon = find_unquoted(line, ":");
  return colon < line.size() ? colon : std::min(line.find(':'), line.size());
}

std::string_view without_quotes(std::string_view text) {
  text = ascii::trim_space(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::string_view CalendarProperty::parameter(std::string_view wanted) const {
  for (std::string_view rest = parameters; !rest.empty();) {
    const std::size_t end = find_unquoted(rest, ";");
    const std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = std::min(piece.find('='), piece.size());
    if (equals == piece.size()) continue;
    if (ascii::equal_ignoring_case(ascii::trim_space(piece.substr(0, equals)), wanted)) {
      return without_quotes(piece.substr(equals + 1));
    }
  }
  return {};
}

/// vCalendar 1.0 may leave the name of the parameter out: "DESCRIPTION;QUOTED-PRINTABLE:".
bool CalendarProperty::is_quoted_printable() const {
  constexpr std::string_view kEncoding = "QUOTED-PRINTABLE";
  if (ascii::equal_ignoring_case(parameter("ENCODING"), kEncoding)) return true;
  for (std::string_view rest = parameters; !rest.empty();) {
    const std::size_t end = find_unquoted(rest, ";");
    if (ascii::equal_ignoring_case(rest.substr(0, end), kEncoding)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string_view CalendarLines::take_line() {
  const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end);
  if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
  if (!rest_.empty()) rest_.remove_prefix(1);
  return line;
}

bool CalendarLines::continues() const { return !rest_.empty() && is_blank(rest_.front()); }

bool CalendarLines::next(CalendarProperty& property) {
  while (!rest_.empty()) {
    line_ = take_line();
    const bool soft_breaks = ascii::to_lower(line_).find("quoted-printable") != std::string::npos;
    while (continues()) {
      rest_.remove_prefix(1);
      if (soft_breaks && line_.ends_with('=')) line_.pop_back();
      line_ += take_line();
    }
    const std::size_t colon = find_colon(line_);
    if (colon == line_.size()) continue;
    const std::string_view left = ascii::trim_space(std::string_view(line_).substr(0, colon));
    const std::size_t name_end = std::min(left.find(';'), left.size());
    std::string_view name = left.substr(0, name_end);
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) {
      name.remove_prefix(dot + 1);
    }
    property.name.clear();
    for (const char c : name) property.name += ascii::to_upper(c);
    property.parameters = left.substr(std::min(name_end + 1, left.size()));
    property.value = std::string_view(line_).substr(colon + 1);
    if (property.is_quoted_printable()) {
      while (property.value.ends_with('=') && !rest_.empty()) {
        property.value.pop_back();
        property.value += take_line();
      }
    }
    return true;
  }
  return false;
}

std::string unescaped(std::string_view value) {
  std::string out;
  out.reserve(value.size());
  for (std::size_t at = 0; at < value.size(); ++at) {
    const char next = at + 1 < value.size() ? value[at + 1] : '\0';
    if (value[at] != '\\' || next == '\0') {
      out += value[at];
    } else if (next == 'n' || next == 'N') {
      out += '\n';
      ++at;
    } else if (next == '\\' || next == ',' || next == ';' || next == ':' || next == '"') {
      out += next;
      ++at;
    } else {
      out += '\\';
    }
  }
  return out;
}

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
