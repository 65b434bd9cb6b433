#include <fmt/format.h>

#include <functional>
#include <set>

#include "milter/reference/completion.h"

namespace shingled::milter::reference {

namespace {

/// Words before the cursor: the names of commands, without options and their values. bash splits
/// words at '=' and ':', so a value may follow a word of its own that is '='.
constexpr const char* kWords = R"sh(
_shingled() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path= word skip= i
  COMPREPLY=()
  if [[ $current == "=" ]]; then
    current=
  elif [[ $previous == "=" && $COMP_CWORD -gt 2 ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ -n $skip ]]; then
      [[ $word == "=" ]] && continue
      skip=
      continue
    fi
    if [[ $word == -* ]]; then
      _shingled_has_value "$path" "$word" && skip=1
    elif [[ -z $path && $word == help ]]; then
      continue
    elif _shingled_is_command "$path $word"; then
      path="$path $word"
    fi
  done
  local kind
  if [[ $previous == -* ]] && _shingled_has_value "$path" "$previous"; then
    kind=$(_shingled_values "$path $previous")
  elif [[ $current == -* ]]; then
    kind="words $(_shingled_options "$path")"
  else
    kind=$(_shingled_arguments "$path")
  fi
  case $kind in
    lists) COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" completion lists 2>/dev/null)" -- "$current")) ;;
    keys) COMPREPLY=($(compgen -W "$(_shingled_keys)" -- "$current")) ;;
    settings)
      if [[ ${COMP_WORDS[COMP_CWORD]} != "=" && ${COMP_WORDS[COMP_CWORD-1]} != "=" ]]; then
        compopt -o nospace 2>/dev/null
        COMPREPLY=($(compgen -S = -W "$(_shingled_keys)" -- "$current"))
      fi ;;
    words*) COMPREPLY=($(compgen -W "${kind#words}" -- "$current")) ;;
    files)
      compopt -o filenames 2>/dev/null
      local IFS=$'\n'
      COMPREPLY=($(compgen -f -- "$current")) ;;
    folders)
      compopt -o filenames 2>/dev/null
      local IFS=$'\n'
      COMPREPLY=($(compgen -d -- "$current")) ;;
  esac
}
complete -F _shingled shingled
)sh";

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

/// What completes a value, in the words of `_shingled`.
std::string kind_of(const OptionFacts& option) {
  if (!option.choices.empty()) return "words " + joined(option.choices, " ");
  if (option.takes_only_folder()) return "folders";
  if (option.takes_list()) return "lists";
  if (option.takes_key()) return "keys";
  if (option.takes_setting()) return "settings";
  return option.takes_file() ? "files" : "none";
}

std::vector<std::string> names_of(const std::vector<CommandFacts>& commands) {
  std::vector<std::string> out;
  out.reserve(commands.size());
  for (const CommandFacts& command : commands) out.push_back(command.name);
  return out;
}

/// `path`: " counters show"; empty = the program.
using Visit = std::function<void(const std::string& path, const CommandFacts& command)>;

void visit_all(const CommandFacts& command, const std::string& path, const Visit& visit) {
  visit(path, command);
  for (const CommandFacts& verb : command.verbs) visit_all(verb, path + " " + verb.name, visit);
}

/// A function that looks its argument up in cases.
std::string function_of_cases(const std::string& name, const std::string& cases) {
  return "_shingled_" + name + "() {\n  case $1 in\n" + cases + "  esac\n}\n";
}

std::string line_of_case(const std::string& pattern, const std::string& result) {
  return "    " + pattern + ") echo '" + result + "' ;;\n";
}

/// All options with a value, as patterns: options may stand before their command.
std::string options_with_value(const CommandFacts& root) {
  std::set<std::string> names;
  visit_all(root, "", [&](const std::string&, const CommandFacts& command) {
    for (const OptionFacts& option : command.options) {
      if (!option.value.empty()) names.insert(option.names.begin(), option.names.end());
    }
  });
  return joined({names.begin(), names.end()}, "|");
}

}  // namespace

std::string bash_completion(const CommandFacts& root) {
  std::string commands;
  std::string options;
  std::string arguments;
  std::string values;
  std::string with_value;
  visit_all(root, "", [&](const std::string& path, const CommandFacts& command) {
    const std::string quoted = "'" + path + "'";
    commands += (commands.empty() ? "" : "|") + quoted;
    std::vector<std::string> names;
    std::vector<std::string> flags;
    for (const OptionFacts& option : command.options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
      std::vector<std::string> patterns;
      for (const std::string& name : option.names)
        patterns.push_back(fmt::format("'{} {}'", path, name));
      if (option.value.empty()) {
        flags.insert(flags.end(), patterns.begin(), patterns.end());
      } else {
        values += line_of_case(joined(patterns, "|"), kind_of(option));
      }
    }
    if (!flags.empty()) with_value += "    " + joined(flags, "|") + ") return 1 ;;\n";
    options += line_of_case(quoted, joined(names, " "));
    std::string kind = "none";
    if (!command.verbs.empty()) {
      kind = "words " + joined(names_of(command.verbs), " ") + (path.empty() ? " help" : "");
    } else if (!command.arguments.empty()) {
      const OptionFacts& first = command.arguments.front();
      kind =
          first.value == "COMMAND" ? "words " + joined(names_of(root.verbs), " ") : kind_of(first);
    }
    arguments += line_of_case(quoted, kind);
  });
  values += line_of_case("*' -c'|*' --config'", "files");
  values += line_of_case("*' -o'|*' --option'", "settings");
  return "# Completion of bash for shingled; made by: shingled completion bash\n" +
         function_of_cases("is_command",
                           "    " + commands + ") return 0 ;;\n    *) return 1 ;;\n") +
         "_shingled_has_value() {\n  case \"$1 $2\" in\n" + with_value +
         "  esac\n  case $2 in\n    " + options_with_value(root) +
         ") return 0 ;;\n    *) return 1 ;;\n  esac\n}\n" + function_of_cases("values", values) +
         function_of_cases("options", options) + function_of_cases("arguments", arguments) +
         "_shingled_keys() {\n  echo '" + joined(complete_keys(), " ") + "'\n}\n" + (kWords + 1);
}

}  // namespace shingled::milter::reference
