#include "milter/reference/command_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/reference/page_text.h"

namespace shingled::milter::reference {

namespace {

std::string_view take_page_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// A character of UTF-8 that is not ASCII, by its number; the length of its encoding is taken off.
std::string special_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  unsigned code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length && i < text.size(); ++i)
    code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  text.remove_prefix(std::min(length, text.size()));
  return fmt::format("\\[u{:04X}]", code);
}

/// Text that roff prints as it is.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out = "\\&";
  while (!text.empty()) {
    const char c = text.front();
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += special_character(text);
      continue;
    }
    text.remove_prefix(1);
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '"':
        out += "\\(dq";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Paragraphs of a help text. Lines that begin with blanks stay as they are.
std::string roff_paragraphs(std::string_view text) {
  std::string out;
  bool literal = false;
  while (!text.empty()) {
    const std::string_view line = take_page_line(text);
    if (literal != line.starts_with(' ')) {
      literal = !literal;
      out += literal ? ".RS\n.nf\n" : ".fi\n.RE\n";
    }
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    out += line.empty() ? ".PP\n" : roff(line.substr(blanks)) + "\n";
  }
  return out + (literal ? ".fi\n.RE\n" : "");
}

std::string roff_sentence(std::string_view text) {
  const bool ends = text.ends_with('.') || text.ends_with(')');
  return roff(text) + (ends || text.empty() ? "\n" : ".\n");
}

/// The lower-case beginning that a page's NAME has; names such as JSON stay.
std::string uncapitalized(std::string text) {
  const bool word =
      text.size() > 1 && text[0] >= 'A' && text[0] <= 'Z' && (text[1] < 'A' || text[1] > 'Z');
  if (word) text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

/// A list of values such as "yes|no" stays bold; one that stands for something is in italics.
std::string value_text(const OptionFacts& option) {
  return std::string(option.choices.empty() ? "\\fI" : "\\fB") + roff(option.value) + "\\fR";
}

std::string synopsis(const CommandFacts& command, const std::string& spoken) {
  std::string out = ".B " + roff(spoken) + "\n";
  if (!command.options.empty()) out += ".RI [ option ]...\n";
  for (const OptionFacts& argument : command.arguments) {
    const std::string dots = argument.repeats ? "..." : "";
    out += argument.required ? value_text(argument) + dots + "\n"
                             : "[" + value_text(argument) + "]" + dots + "\n";
  }
  return out;
}

std::string tagged(const OptionFacts& option, bool named) {
  std::string out = ".TP\n";
  if (named) {
    std::string names;
    for (const std::string& name : option.names) {
      names += (names.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
    }
    out += names + (option.value.empty() ? "" : " " + value_text(option)) + "\n";
  } else {
    out += value_text(option) + (option.repeats ? "..." : "") + "\n";
  }
  out += roff_sentence(option.text);
  if (named && option.repeats) out += "Repeatable.\n";
  return out;
}

std::string options_of(const CommandFacts& command) {
  std::string out;
  for (const OptionFacts& argument : command.arguments) out += tagged(argument, false);
  for (const OptionFacts& option : command.options) out += tagged(option, true);
  return out;
}

/// An entry of the section COMMANDS.
struct Entry {
  std::string tag;   ///< its line in the source
  std::string body;  ///< the source below that
};

/// Whether "add, del" or "counters export [FILE|-], counters import" begins with the command once.
bool is_about(const std::string& tag, std::string_view command) {
  const std::string said = config::PageLine::parse(tag).shown();
  std::string_view rest = said;
  while (true) {
    const std::size_t end = rest.find(", ");
    const std::string_view piece = rest.substr(0, end);
    if (piece.substr(0, piece.find(' ')) == command) return true;
    if (end == std::string_view::npos) return false;
    rest.remove_prefix(end + 2);
  }
}

std::vector<Entry> entries_about(std::string_view page, std::string_view command) {
  std::vector<Entry> out;
  bool inside = false;
  bool about = false;
  while (!page.empty()) {
    const std::string_view line = take_page_line(page);
    if (line.starts_with(".SH ")) {
      inside = line == ".SH COMMANDS";
      about = false;
    } else if (inside && line == ".PP") {
      about = false;
    } else if (inside && line == ".TP") {
      const std::string tag(take_page_line(page));
      about = is_about(tag, command);
      if (about) out.push_back({tag, ""});
    } else if (inside && about) {
      out.back().body += std::string(line) + "\n";
    }
  }
  return out;
}

/// The long text about a command, for a section of its own.
std::string long_text(const CommandFacts& command, std::string_view page) {
  const auto entries = entries_about(page, command.name);
  std::string out;
  for (const Entry& entry : entries) {
    if (entries.size() > 1) {
      out += ".TP\n" + entry.tag + "\n" + entry.body;
      continue;
    }
    std::string_view body = entry.body;
    while (!body.empty()) {
      const std::string_view line = take_page_line(body);
      out += (line == ".IP" ? ".PP" : std::string(line)) + "\n";
    }
  }
  return out;
}

std::string date_of(std::string_view page) {
  const auto line = config::PageLine::parse(page.substr(0, page.find('\n')));
  return line.arguments.size() > 2 ? line.arguments[2] : "";
}

std::string title(const std::string& name, std::string_view page) {
  return ".TH " + roff(upper(name)) + " 1 " + date_of(page) + " shingled \"User commands\"\n";
}

std::string verb_sections(const CommandFacts& command, const std::string& spoken) {
  std::string out;
  for (const CommandFacts& verb : command.verbs) {
    const std::string name = spoken + " " + verb.name;
    out += ".SS " + roff(name) + "\n" + synopsis(verb, name) + ".PP\n" + roff_sentence(verb.text);
    if (!verb.notes.empty()) out += ".PP\n" + roff_paragraphs(verb.notes);
    out += options_of(verb);
    if (!verb.example.empty()) out += ".PP\nExample:\n" + roff_paragraphs(verb.example);
    out += verb_sections(verb, name);
  }
  return out;
}

constexpr const char* kExitStatus =
    ".SH EXIT STATUS\n0 if everything was done, else a code of sysexits.h; see\n.BR shingled "
    "(8).\n";

}  // namespace

std::string program_page(const CommandFacts& root, std::string_view system_page) {
  std::string out =
      title("shingled", system_page) + ".SH NAME\nshingled \\- " + roff(uncapitalized(root.text));
  if (out.ends_with('.')) out.pop_back();
  out +=
      "\n.SH SYNOPSIS\n.B shingled\n.I command\n.RI [ option ]...\n.RI [ argument ]...\n.br\n.B "
      "shingled help\n.RI [ command ]\n.SH DESCRIPTION\n" +
      roff_paragraphs(root.notes) + ".PP\nThe daemon is described in\n.BR shingled (8).\n" +
      ".SH COMMANDS\n";
  for (const CommandFacts& command : root.verbs) {
    out += ".TP\n.BR shingled\\-" + roff(command.name) + " (1)\n" + roff_sentence(command.text);
  }
  out += ".SH OPTIONS\n" + options_of(root) + kExitStatus +
         ".SH SEE ALSO\n.BR shingled.yaml (5),\n.BR shingled\\-policy (5),\n.BR shingled (8)\n";
  return out;
}

std::string command_page(const CommandFacts& command, std::string_view system_page) {
  const std::string name = "shingled-" + command.name;
  const std::string spoken = "shingled " + command.name;
  std::string out = title(name, system_page) + ".SH NAME\n" + roff(name) + " \\- " +
                    roff(uncapitalized(command.text)) + "\n.SH SYNOPSIS\n";
  if (command.verbs.empty() || !command.arguments.empty()) {
    out += synopsis(command, spoken);
  } else {
    out += ".B " + roff(spoken) + "\n.RI [ option ]...\n";
  }
  for (const CommandFacts& verb : command.verbs) {
    out += ".br\n" + synopsis(verb, spoken + " " + verb.name);
  }
  const std::string text = long_text(command, system_page);
  out += ".SH DESCRIPTION\n" + (text.empty() ? roff_sentence(command.text) : text);
  if (!command.notes.empty()) {
    out += (text.empty() ? ".PP\n" : ".SH NOTES\n") + roff_paragraphs(command.notes);
  }
  if (!command.verbs.empty()) out += ".SH COMMANDS\n" + verb_sections(command, spoken);
  out += ".SH OPTIONS\n" + options_of(command) + ".SH EXAMPLES\n" +
         roff_paragraphs(command.example) + kExitStatus +
         ".SH SEE ALSO\n.BR shingled (1),\n.BR shingled.yaml (5),\n.BR shingled (8)\n";
  return out;
}

}  // namespace shingled::milter::reference
