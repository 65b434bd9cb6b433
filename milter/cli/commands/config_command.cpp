#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "config/document/yaml_document.h"
#include "config/effective.h"
#include "config/promotions/promoted_rules.h"
#include "config/reference/key_text.h"
#include "config/reference/page_text.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"

namespace shingled::milter::cli {

namespace {

constexpr std::size_t kSourceColumn = 52;
constexpr std::size_t kWidth = 80;
constexpr std::size_t kMeantMost = 12;

/// Without a configuration file, the files of a user are in a folder in the home
/// (milter/cli/access/settings_choice.h).
void name_own_files(const Settings& settings, config::Effective& effective) {
  const std::array<std::pair<std::string_view, const std::string*>, 3> files = {
      {{"storage.hashfile", &settings.storage.engine.hashfile},
       {"ratelimit.file", &settings.ratelimit.file},
       {"similar.file", &settings.similar.file}}};
  for (config::EffectiveKey& key : effective.keys) {
    for (const auto& [name, file] : files) {
      if (key.key != name || key.source != "default") continue;
      config::YamlNode value;
      value.kind = config::YamlNode::Kind::kScalar;
      value.text = *file;
      key.value = config::flow_text(value);
    }
  }
}

/// Rules that the history or a person took out of shadow, or put there: the setting stays as it is
/// written, so the place says what is in force.
void note_decided_rules(const Settings& settings, config::Effective& effective) {
  for (const PolicyRuleOptions& rule : settings.policy.rules) {
    const bool shadow = config::is_in_shadow(rule);
    if (shadow == rule.shadow) continue;
    const auto key = std::ranges::find(effective.keys, "policy.rules." + rule.name + ".shadow",
                                       &config::EffectiveKey::key);
    if (key != effective.keys.end())
      key->source += shadow ? "; decided since: in shadow" : "; decided since: out of shadow";
  }
}

config::Effective read_effective(const SettingsArguments& source, Console& console) {
  const std::string file = source.chosen_file();
  const auto overrides = source.all_overrides();
  config::Effective effective = file.empty() ? config::effective_settings("", "built-in", overrides)
                                             : config::effective_settings_file(file, overrides);
  if (effective.keys.empty()) return effective;
  const auto settings = file.empty() ? source.load(console) : source.read().settings;
  if (settings == nullptr) return effective;
  if (file.empty()) name_own_files(*settings, effective);
  note_decided_rules(*settings, effective);
  return effective;
}

/// "KEY=VALUE    # SOURCE"
std::string line_of(const config::EffectiveKey& key) {
  std::string out = terminal_safe(key.key + '=' + key.value);
  out.resize(std::max(out.size() + 1, kSourceColumn), ' ');
  return out + "# " + terminal_safe(key.source);
}

/// Reports an error, if there is one.
bool has_error(const config::Effective& effective, Console& console) {
  bool any = false;
  for (const config::Problem& problem : effective.problems) {
    if (!problem.is_error()) continue;
    console.note(terminal_safe(problem.to_string()));
    any = true;
  }
  return any;
}

int print_effective(const SettingsArguments& source, bool json, Console& console) {
  const config::Effective effective = read_effective(source, console);
  if (has_error(effective, console)) return EX_CONFIG;
  for (const config::EffectiveKey& key : effective.keys) {
    if (json) {
      console.json({{"key", key.key}, {"value", key.value}, {"source", key.source}});
    } else {
      console.line(line_of(key));
    }
  }
  return EX_OK;
}

void print_meaning(const config::KeyText& text, Console& console) {
  console.line(text.name);
  if (!text.meaning.empty()) console.line(config::wrapped(text.meaning, "  ", kWidth));
  if (!text.type.empty()) console.line("  type      " + text.type);
  if (text.required) {
    console.line("  default   none, it must be set");
  } else if (!text.default_value.empty()) {
    console.line("  default   " + text.default_value);
  }
  console.line(std::string("  changes   ") + (text.needs_restart ? "at a restart" : "at a reload"));
}

/// Prints the keys of a section, one per line; false if there are none.
bool print_section(const std::string& name, Console& console) {
  std::vector<TableRow> rows;
  const std::string prefix = config::page_name(name) + '.';
  for (const config::KeyText& text : config::key_texts()) {
    if (!text.name.starts_with(prefix)) continue;
    rows.push_back({text.name, text.type, text.default_value});
  }
  print_table(rows, "", console);
  return !rows.empty();
}

/// Of a key that there is not.
int refuse(const std::string& key, Console& console) {
  if (const std::string always = config::constant_value(key); !always.empty()) {
    console.line(terminal_safe(key) + " is no longer an option: it is always " + always);
    return EX_OK;
  }
  console.error(terminal_safe(key), "no such key");
  for (const std::string& meant : config::meant_keys(key, kMeantMost))
    console.note("did you mean: " + meant);
  return EX_USAGE;
}

int explain(const SettingsArguments& source, const std::string& key, Console& console) {
  const config::KeyText* text = config::find_key(key);
  if (text == nullptr) {
    // A part of a name is enough if only one key has it.
    const auto meant = config::meant_keys(key, 2);
    const bool is_part = meant.size() == 1 && meant.front().ends_with('.' + key);
    if (!is_part) return print_section(key, console) ? EX_OK : refuse(key, console);
    text = config::find_key(meant.front());
  }
  print_meaning(*text, console);
  const config::Effective effective = read_effective(source, console);
  if (has_error(effective, console)) return EX_CONFIG;
  const bool one_only = config::page_name(key) != key;
  for (const config::EffectiveKey& row : effective.keys) {
    const bool wanted = one_only ? row.key == key : config::page_name(row.key) == text->name;
    if (wanted) console.line("  in force  " + line_of(row));
  }
  return EX_OK;
}

}  // namespace

void add_config_command(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("config", "The configuration in force, key by key, and what a key means");
  command->footer(
      R"(Each line of --effective is KEY=VALUE, as -o accepts it, and the source of the value: FILE:LINE, -o
or default. Secrets are not shown. explain shows the text of shingled.yaml(5).

Example:
  shingled config --effective | grep -v '# default'
  shingled config explain milter.timeout
  shingled config explain storage          # its keys)");
  const auto source = std::make_shared<SettingsArguments>();
  const auto json = std::make_shared<bool>(false);
  const auto effective = std::make_shared<bool>(false);
  source->add_to(*command);
  command->add_flag("--effective", *effective, "Every key with its value and its source");
  command->add_flag("--json", *json, "One object per key");
  CLI::App* explaining = command->add_subcommand("explain", "Explain a key and show its value");
  const auto key = std::make_shared<std::string>();
  explaining->add_option("key", *key, "A key such as storage.expire, a part of it, or a section")
      ->type_name("KEY")
      ->required();
  explaining->fallthrough();
  command->callback([=, &chosen] {
    if (explaining->parsed()) {
      chosen = [=](Console& console) { return explain(*source, *key, console); };
      return;
    }
    if (!*effective) throw CLI::ValidationError("config", "use --effective or explain KEY");
    chosen = [=](Console& console) { return print_effective(*source, *json, console); };
  });
}

}  // namespace shingled::milter::cli
