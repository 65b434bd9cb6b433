#include <string_view>

#include "milter/reference/completion.h"

namespace shingled::milter::reference {

namespace {

/// As text between single quotes, where the listed characters have a meaning to _arguments.
std::string quoted_text(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// ":FILE:_files": what a value is called, and what completes it.
std::string value_spec(const OptionFacts& option) {
  std::string out = ":" + quoted_text(option.value, ":[]()\\") + ":";
  if (!option.choices.empty()) {
    out += "(";
    for (const std::string& choice : option.choices) out += choice + " ";
    out.back() = ')';
  } else if (option.takes_only_folder()) {
    out += "_files -/";
  } else if (option.takes_list()) {
    out += "_shingled_lists";
  } else if (option.takes_key()) {
    out += "_shingled_keys";
  } else if (option.takes_setting()) {
    out += "_shingled_keys -qS=";
  } else if (option.takes_file()) {
    out += "_files";
  } else {
    out += " ";
  }
  return out;
}

/// "'(-c --config)'{-c,--config}'[text]:FILE:_files'", one line.
std::string option_spec(const OptionFacts& option) {
  std::string others;
  std::string names;
  for (const std::string& name : option.names) {
    others += (others.empty() ? "" : " ") + name;
    names += (names.empty() ? "" : ",") + name;
  }
  std::string out = option.repeats ? "'*'" : "'(" + others + ")'";
  out += option.names.size() > 1 ? "{" + names + "}" : names;
  out += "'[" + quoted_text(option.text, "[]\\:") + "]";
  if (!option.value.empty()) out += value_spec(option);
  return out + "'";
}

std::string function_name(const std::string& path) {
  std::string out = "_shingled";
  for (const char c : path) out += c == ' ' ? '_' : c;
  return out;
}

/// Names of lists, which the program reads from the settings, and keys.
std::string functions_of_settings() {
  std::string out =
      "_shingled_lists() {\n  compadd -- ${(f)\"$(shingled completion lists 2>/dev/null)\"}\n}\n\n"
      "_shingled_keys() {\n  compadd \"$@\" --";
  for (const std::string& key : complete_keys()) out += " \\\n    " + key;
  return out + "\n}\n\n";
}

std::string described(const std::vector<CommandFacts>& commands) {
  std::string out;
  for (const CommandFacts& command : commands) {
    out += "        '" + command.name + ":" + quoted_text(command.text, "\\:") + "'\n";
  }
  return out;
}

std::string function_of(const CommandFacts& command, const std::string& path,
                        const CommandFacts& root) {
  std::string out = function_name(path) +
                    "() {\n  local context state state_descr line curcontext=\"$curcontext\"\n" +
                    "  typeset -A opt_args\n  _arguments -S" + (command.verbs.empty() ? "" : " -C");
  for (const OptionFacts& option : command.options) out += " \\\n    " + option_spec(option);
  if (command.verbs.empty()) {
    for (const OptionFacts& argument : command.arguments) {
      const bool names_command = argument.value == "COMMAND";
      out += std::string(" \\\n    '") + (argument.repeats ? "*" : "") +
             (names_command ? ":COMMAND:->command" : value_spec(argument)) + "'";
    }
    const bool lists = !command.arguments.empty() && command.arguments.front().value == "COMMAND";
    if (!lists) return out + "\n}\n\n";
    return out + "\n  if [[ $state == command ]]; then\n    local -a commands=(\n" +
           described(root.verbs) + "    )\n    _describe -t commands command commands\n  fi\n}\n\n";
  }
  out +=
      " \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n    command)\n      local -a "
      "commands=(\n" +
      described(command.verbs);
  if (path.empty()) out += "        'help:Show what a command does'\n";
  out +=
      "      )\n      _describe -t commands command commands ;;\n    rest)\n      case $line[1] "
      "in\n";
  for (const CommandFacts& verb : command.verbs) {
    out += "        " + verb.name + ") " + function_name(path + " " + verb.name) + " ;;\n";
  }
  if (path.empty()) out += "        help) _shingled ;;\n";
  out += "      esac ;;\n  esac\n}\n\n";
  for (const CommandFacts& verb : command.verbs) {
    out += function_of(verb, path + " " + verb.name, root);
  }
  return out;
}

}  // namespace

std::string zsh_completion(const CommandFacts& root) {
  return "#compdef shingled\n# Completion of zsh for shingled; made by: shingled completion "
         "zsh\n\n" +
         functions_of_settings() + function_of(root, "", root) + "_shingled \"$@\"\n";
}

}  // namespace shingled::milter::reference
