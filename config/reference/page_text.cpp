#include "config/reference/page_text.h"

#include <algorithm>

namespace shingled::config {

namespace {

/// "\-" as "-", and no change of font.
std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char escaped = text[++i];
    if (escaped == 'f') {
      ++i;  // the font's letter
    } else if (escaped == 'e') {
      out += '\\';
    } else if (escaped != '&') {
      out += escaped;
    }
  }
  return out;
}

std::vector<std::string> split_arguments(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) return out;
    const bool quoted = text.front() == '"';
    if (quoted) text.remove_prefix(1);
    const std::size_t end = std::min(text.find(quoted ? '"' : ' '), text.size());
    out.push_back(without_escapes(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

PageLine PageLine::parse(std::string_view line) {
  if (!line.starts_with('.')) return {"", {without_escapes(line)}};
  line.remove_prefix(1);
  const std::size_t end = std::min(line.find(' '), line.size());
  return {std::string(line.substr(0, end)), split_arguments(line.substr(end))};
}

std::string PageLine::shown() const {
  const bool joins = macro.size() == 2 && macro.find_first_not_of("BIR") == std::string::npos;
  std::string out;
  for (const std::string& argument : arguments) {
    if (!out.empty() && !joins) out += ' ';
    out += argument;
  }
  return out;
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  std::string out;
  std::size_t line_start = 0;
  bool fresh = true;
  const auto begin_line = [&] {
    line_start = out.size();
    out += indent;
    fresh = true;
  };
  begin_line();
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    if (!fresh && out.size() - line_start + 1 + word.size() > width) {
      out += '\n';
      begin_line();
    }
    if (!fresh) out += ' ';
    out += word;
    fresh = false;
  }
  return out;
}

}  // namespace shingled::config
