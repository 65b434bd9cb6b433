#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace shingled::milter::reference {

/// An option of a command, or an argument without a name.
struct OptionFacts {
  std::vector<std::string>
      names;          ///< "-c", "--config"; of an argument one word, such as "messages"
  std::string value;  ///< what it takes: "FILE|DIR"; empty = nothing
  std::vector<std::string> choices;  ///< the only values that are allowed; empty = any
  std::string text;                  ///< one sentence
  bool required = false;
  bool repeats = false;

  /// Whether a value is a file or a folder, as the name of the value says.
  [[nodiscard]] bool takes_file() const;
  [[nodiscard]] bool takes_only_folder() const;
  /// Whether it is a list of hashes of the settings, by number or name.
  [[nodiscard]] bool takes_list() const;
  /// Whether it is a key of the settings, and whether its value follows: "KEY=VALUE".
  [[nodiscard]] bool takes_key() const;
  [[nodiscard]] bool takes_setting() const;
};

/// A command as its --help shows it.
struct CommandFacts {
  std::string name;
  std::string text;     ///< one sentence
  std::string notes;    ///< paragraphs with an empty line between them
  std::string example;  ///< lines of a shell, each indented by two blanks
  std::vector<OptionFacts> options;
  std::vector<OptionFacts> arguments;  ///< in their order
  std::vector<CommandFacts> verbs;     ///< commands below this one

  /// Null = there is no such command.
  [[nodiscard]] const CommandFacts* find(const std::string& verb) const;
};

/// The command line of a parser, without commands and options that are not in its --help.
CommandFacts command_tree(const CLI::App& app);

}  // namespace shingled::milter::reference
