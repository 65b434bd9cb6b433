#include "milter/reference/command_tree.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace shingled::milter::reference {

namespace {

constexpr std::string_view kExample = "Example:\n";

/// The parser appends what its checks allow to the name of a value: "N:UINT in [1 - 20]".
std::size_t end_of_value_name(std::string_view value) {
  constexpr std::array<std::string_view, 6> kChecks = {":{",         ":UINT in ", ":INT in ",
                                                       ":FLOAT in ", ":POSITIVE", ":NONNEGATIVE"};
  std::size_t end = value.size();
  for (const std::string_view check : kChecks) end = std::min(end, value.find(check));
  return end;
}

std::vector<std::string> choices_in(std::string_view check) {
  std::vector<std::string> out;
  if (!check.starts_with(":{") || !check.ends_with('}')) return out;
  check = check.substr(2, check.size() - 3);
  while (!check.empty()) {
    const std::string_view one = check.substr(0, check.find(','));
    out.emplace_back(one);
    check.remove_prefix(std::min(one.size() + 1, check.size()));
  }
  return out;
}

OptionFacts option_facts(const CLI::Option& option) {
  OptionFacts out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (out.names.empty()) out.names.push_back(option.get_name());
  if (option.get_items_expected_max() > 0) {
    const std::string value = option.get_type_name();
    const std::size_t end = end_of_value_name(value);
    out.value = value.substr(0, end);
    out.choices = choices_in(std::string_view(value).substr(end));
  }
  out.text = option.get_description();
  out.required = option.get_required();
  out.repeats = option.get_items_expected_max() > 1;
  return out;
}

/// Whether one of the words of "FILE|DIR|-" is `wanted`.
bool has_word(std::string_view value, std::string_view wanted) {
  while (!value.empty()) {
    const std::size_t end = std::min(value.find_first_of("| "), value.size());
    if (value.substr(0, end).ends_with(wanted)) return true;
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return false;
}

}  // namespace

bool OptionFacts::takes_file() const {
  return has_word(value, "FILE") || has_word(value, "MBOX") || has_word(value, ".yaml") ||
         takes_only_folder();
}

bool OptionFacts::takes_only_folder() const { return value == "DIR"; }

bool OptionFacts::takes_list() const { return value == "N|NAME"; }

bool OptionFacts::takes_key() const { return value == "KEY"; }

bool OptionFacts::takes_setting() const { return value == "KEY=VALUE"; }

const CommandFacts* CommandFacts::find(const std::string& verb) const {
  const auto found = std::ranges::find(verbs, verb, &CommandFacts::name);
  return found == verbs.end() ? nullptr : &*found;
}

CommandFacts command_tree(const CLI::App& app) {
  CommandFacts out;
  out.name = app.get_name();
  out.text = app.get_description();
  const std::string footer = app.get_footer();
  const std::size_t example = footer.find(kExample);
  out.notes = footer.substr(0, example);
  while (out.notes.ends_with('\n')) out.notes.pop_back();
  if (example != std::string::npos) out.example = footer.substr(example + kExample.size());
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    (option->get_positional() ? out.arguments : out.options).push_back(option_facts(*option));
  }
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (!verb->get_group().empty()) out.verbs.push_back(command_tree(*verb));
  }
  return out;
}

}  // namespace shingled::milter::reference
