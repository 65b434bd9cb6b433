// All kinds of line ends, and characters before and after them.
#include <string>

#include "tests/hostile/pieces.h"
#include "tests/hostile/themes.h"

namespace shingled::hostile {

namespace {

HostileKind lines(std::string name, std::string why, std::string piece) {
  return {"line-" + std::move(name), std::move(why),
          [piece](std::size_t bytes) { return repeat(plain(), piece, bytes); }};
}

/// The message with CRLF at the end of each line.
std::string with_crlf(const std::string& message) {
  std::string out;
  out.reserve(message.size() + message.size() / 16);
  for (const char c : message) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

}  // namespace

std::vector<HostileKind> line_kinds() {
  using namespace std::string_literals;
  return {
      lines("bare-cr", "lines that end in a bare CR", "word\r"),
      lines("bare-cr-alone", "nothing but CR", "\r"),
      lines("crlf-alone", "nothing but CRLF", "\r\n"),
      lines("lf-alone", "nothing but LF", "\n"),
      lines("lf-cr", "line ends the wrong way round", "word\n\r"),
      lines("cr-cr-lf", "line ends once too often", "word\r\r\n"),
      lines("mixed", "every line end in turn", "a\rb\nc\r\nd\n\r"),
      lines("unicode", "line ends of Unicode", "word\u2028word\u2029word\u0085"),
      lines("form-feeds", "form feeds and vertical tabs", "word\fword\vword"),
      lines("blanks-at-ends", "60 blanks at the end of each line",
            "word" + std::string(60, ' ') + "\n"),
      lines("blanks", "nothing but blanks", " "),
      lines("tabs", "nothing but tabs", "\t"),
      lines("dots", "lines of one dot", ".\n"),
      lines("dots-two", "lines of two dots", "..\n"),
      lines("nulls", "null bytes at line ends", "word\0\n"s),
      lines("controls", "control characters", "a\x01\x02\x03\x1b[31m\x7f"),
      lines("escapes", "orders to a terminal", "\x1b]0;x\x07\u009b31m"),
      {"line-crlf-prose", "ordinary text as a server sends it",
       [](std::size_t bytes) { return with_crlf(plain() + prose(bytes)); }},
      {"line-crlf-parts", "many parts as a server sends them",
       [](std::size_t bytes) { return with_crlf(repeat(mixed(), "--b\n\nx\n", bytes)); }},
      {"line-one", "no line break at all",
       [](std::size_t bytes) { return repeat(plain(), "word word ", bytes); }},
  };
}

}  // namespace shingled::hostile
