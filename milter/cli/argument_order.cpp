#include "milter/cli/argument_order.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "config/words/nearest_word.h"

namespace shingled::milter::cli {

namespace {

using Words = std::span<const std::string>;

std::vector<const CLI::App*> commands_of(const CLI::App& app) { return app.get_subcommands({}); }

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : commands_of(app)) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

bool is_option(const std::string& argument) { return argument.size() > 1 && argument[0] == '-'; }

/// "--config" of "--config=FILE", "-c" of "-cFILE".
std::string name_in(const std::string& option) {
  return option.starts_with("--") ? option.substr(0, option.find('=')) : option.substr(0, 2);
}

/// The option with the name in this argument, of the command or of one of its verbs.
const CLI::Option* find_option(const CLI::App& command, const std::string& argument) {
  if (const CLI::Option* own = command.get_option_no_throw(name_in(argument))) return own;
  for (const CLI::App* verb : commands_of(command)) {
    if (const CLI::Option* option = find_option(*verb, argument)) return option;
  }
  return nullptr;
}

/// How many arguments an option and its value take, whether the value is there or not.
std::size_t length_of(const CLI::Option& option, const std::string& argument) {
  const bool holds_value =
      argument.starts_with("--") ? argument.find('=') != std::string::npos : argument.size() > 2;
  const bool takes_value = option.get_items_expected_min() > 0;
  return takes_value && !holds_value ? 2 : 1;
}

/// The options before the name of a command.
struct Leading {
  std::vector<std::string> of_command;
  std::vector<std::string> of_above;  ///< that only the one above it has
  std::size_t end = 0;  ///< the first word that is neither; beyond the last where a value lacks
};

/// `command`: null = any of those `above` has.
Leading leading_options(const CLI::App& above, const CLI::App* command, Words words) {
  Leading leading;
  while (leading.end < words.size() && is_option(words[leading.end])) {
    const std::string& word = words[leading.end];
    const CLI::Option* own = find_option(command != nullptr ? *command : above, word);
    const CLI::Option* option = own != nullptr ? own : above.get_option_no_throw(name_in(word));
    if (option == nullptr) break;
    const std::size_t length = length_of(*option, word);
    const Words taken = words.subspan(leading.end, std::min(length, words.size() - leading.end));
    auto& list = own != nullptr ? leading.of_command : leading.of_above;
    list.insert(list.end(), taken.begin(), taken.end());
    leading.end += length;
  }
  return leading;
}

/// The names of commands, each with its own options that followed it, and the options that came
/// before their command.
struct Path {
  const CLI::App* end;
  std::vector<std::string> names;
  std::vector<std::string> ordered;
  std::vector<std::string> options;
  Words rest;

  /// Goes to the next command if only options are before it.
  bool step() {
    for (std::size_t i = 0; i < rest.size(); ++i) {
      const CLI::App* command = find_command(*end, rest[i]);
      if (command == nullptr) continue;
      const Leading leading = leading_options(*end, command, rest.first(i));
      if (leading.end != i) continue;
      ordered.insert(ordered.end(), leading.of_above.begin(), leading.of_above.end());
      options.insert(options.end(), leading.of_command.begin(), leading.of_command.end());
      names.push_back(rest[i]);
      ordered.push_back(rest[i]);
      rest = rest.subspan(i + 1);
      end = command;
      return true;
    }
    return false;
  }
};

std::string spoken(const std::vector<std::string>& names, const std::string& last) {
  std::string text;
  for (const std::string& name : names) text += name + " ";
  return text + last;
}

/// What people look for under a name that other programs use.
struct OtherName {
  std::string_view word;
  std::string_view advice;
};
constexpr std::array kOtherNames = {
    OtherName{"teach", "add and del teach a list, report says what a person thinks"},
    OtherName{"learn", "add and del teach a list, report says what a person thinks"},
    OtherName{"train", "add and del teach a list, report says what a person thinks"},
    OtherName{"man", "manual prints a page"},
    OtherName{"reload", "systemctl reload shingled, or SIGHUP"},
    OtherName{"start", "systemctl start shingled, or run"},
    OtherName{"remove", "del deletes hashes from a list"},
    OtherName{"delete", "del deletes hashes from a list"},
};

Error no_such_command(const Path& path, const std::string& word) {
  const auto* other = std::ranges::find(kOtherNames, word, &OtherName::word);
  if (path.names.empty() && other != kOtherNames.end())
    return {ErrorCode::kInvalid, word + ": no such command; " + std::string(other->advice)};
  std::vector<std::string> known;
  for (const CLI::App* command : commands_of(*path.end)) known.push_back(command->get_name());
  std::string meant;
  // A beginning of a name counts more than a typing error: `ad` is nearer to `add` than any other.
  for (const std::string& name : known) {
    if (!word.empty() && name.starts_with(word)) meant += (meant.empty() ? "" : " or ") + name;
  }
  if (meant.empty()) meant = config::nearest_word(word, known).value_or("");
  return {ErrorCode::kInvalid,
          spoken(path.names, word) + ": no such command" +
              (meant.empty() ? "" : "; did you mean " + spoken(path.names, meant) + "?")};
}

/// The reason why a required command is missing; empty if the parser can say it better.
std::optional<Error> refusal(const Path& path) {
  const std::size_t at = leading_options(*path.end, nullptr, path.rest).end;
  if (at >= path.rest.size()) return std::nullopt;
  const std::string& word = path.rest[at];
  if (!is_option(word) && find_command(*path.end, word) == nullptr) {
    return no_such_command(path, word);
  }
  // An option that some other command has, or none.
  for (std::size_t i = 0; i < path.rest.size(); ++i) {
    const CLI::App* command = find_command(*path.end, path.rest[i]);
    if (command == nullptr) continue;
    const std::size_t end = leading_options(*path.end, command, path.rest.first(i)).end;
    if (end >= i) continue;
    return Error{ErrorCode::kInvalid, spoken(path.names, path.rest[i]) + ": it has no option " +
                                          name_in(path.rest[end])};
  }
  return std::nullopt;
}

/// CLI11 takes the word after "--reporter=" as its value. An empty value is a word of its own.
std::vector<std::string> with_empty_values(const CLI::App& command, Words words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const CLI::Option* option =
        is_option(word) && word != "--" ? find_option(command, word) : nullptr;
    const bool takes_value = option != nullptr && option->get_items_expected_min() > 0;
    if (word == "--") {
      out.insert(out.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (takes_value && word.starts_with("--") && word.find('=') == word.size() - 1) {
      out.push_back(name_in(word));
      out.emplace_back();
      continue;
    }
    out.push_back(word);
    if (takes_value && length_of(*option, word) == 2 && i + 1 < words.size())
      out.push_back(words[++i]);
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> in_parsing_order(const CLI::App& app,
                                                  std::vector<std::string> arguments) {
  const bool help = !arguments.empty() && arguments.front() == "help";
  if (help) arguments.erase(arguments.begin());
  Path path{&app, {}, {}, {}, arguments};
  while (path.step()) continue;
  if (!commands_of(*path.end).empty()) {
    if (auto wrong = refusal(path)) return *wrong;
  }
  std::vector<std::string> ordered = std::move(path.ordered);
  if (help) ordered.emplace_back("--help");
  const auto before = with_empty_values(*path.end, path.options);
  const auto after = with_empty_values(*path.end, path.rest);
  ordered.insert(ordered.end(), before.begin(), before.end());
  ordered.insert(ordered.end(), after.begin(), after.end());
  return ordered;
}

std::string nearest_option(const CLI::App& command, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  return config::nearest_word(word.substr(0, word.find('=')), known).value_or("");
}

}  // namespace shingled::milter::cli
