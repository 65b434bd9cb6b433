#include "milter/cli/cli.h"

#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>

#include "milter/cli/access/printing.h"
#include "milter/cli/argument_order.h"
#include "milter/cli/commands/commands.h"
#include "milter/process/interrupt.h"

namespace shingled::milter::cli {

namespace {

constexpr const char* kFooter =
    R"(Every command has --help (also: shingled help COMMAND), -c FILE and -o KEY=VALUE. Options may also
come before the command.
Exit codes follow sysexits: 0 done, 64 wrong usage, 65 a message without a hash or damaged data,
66 cannot read input, 69 server not reachable, 73 cannot create a file, 75 try again later,
77 refused, 78 wrong configuration.)";

void describe(CLI::App& app, Command& chosen) {
  app.name("shingled");
  app.description("A milter for Postfix and Sendmail with its own fuzzy-hash storage.");
  app.footer(kFooter);
  app.set_version_flag("-V,--version", "shingled " SHINGLED_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  add_run_command(app, chosen);
  add_configtest_command(app, chosen);
  add_config_command(app, chosen);
  add_train_commands(app, chosen);
  add_check_command(app, chosen);
  add_scan_command(app, chosen);
  add_hash_command(app, chosen);
  add_explain_command(app, chosen);
  add_list_command(app, chosen);
  add_status_commands(app, chosen);
  add_buckets_command(app, chosen);
  add_counters_command(app, chosen);
  add_history_command(app, chosen);
  add_features_command(app, chosen);
  add_policy_command(app, chosen);
  add_model_command(app, chosen);
  add_report_commands(app, chosen);
  add_name_list_commands(app, chosen);
  add_similar_command(app, chosen);
  add_backup_command(app, chosen);
  add_restore_command(app, chosen);
  add_verify_command(app, chosen);
  add_stores_command(app, chosen);
  add_export_command(app, chosen);
  add_import_command(app, chosen);
  add_keypair_command(app, chosen);
  add_account_commands(app, chosen);
  add_setup_command(app, chosen);
  add_reference_commands(app, chosen);
}

/// "; did you mean --json?" of the first option that the command does not have.
std::string meant_option(const CLI::App& command) {
  for (const CLI::App* verb : command.get_subcommands({})) {
    if (verb->parsed()) return meant_option(*verb);
  }
  for (const std::string& word : command.remaining()) {
    const std::string meant = word.starts_with("--") ? nearest_option(command, word) : "";
    if (!meant.empty()) return "; did you mean " + meant + "?";
  }
  return "";
}

/// Where the help of a verb has no -c, as the command above it takes it.
std::string settings_note(const CLI::App& app) {
  std::string names;
  bool above = false;
  const CLI::App* shown = &app;
  for (auto verbs = app.get_subcommands(); !verbs.empty(); verbs = shown->get_subcommands()) {
    above = above || shown->get_option_no_throw("--config") != nullptr;
    shown = verbs.front();
    names += (names.empty() ? "" : " ") + shown->get_name();
  }
  if (!above || shown->get_option_no_throw("--config") != nullptr) return "";
  return "\n\nAlso -c FILE and -o KEY=VALUE, as: shingled " + names.substr(0, names.find(' ')) +
         " --help";
}

/// The errors of CLI11 in words: "Could not convert: --limit = abc", "Value 0 not in range 1 to 5".
std::string plain_reason(const CLI::ParseError& outcome) {
  std::string why = outcome.what();
  constexpr std::string_view kConvert = "Could not convert: ";
  constexpr std::string_view kEquals = " = ";
  if (why.starts_with(kConvert)) {
    why.erase(0, kConvert.size());
    const std::size_t at = why.find(kEquals);
    if (at == std::string::npos) return why + ": not a valid number";
    return why.substr(0, at) + ": '" + why.substr(at + kEquals.size()) + "' is not a valid number";
  }
  constexpr std::string_view kValue = ": Value ";
  constexpr std::string_view kRange = " not in range ";
  const std::size_t value = why.find(kValue);
  const std::size_t range = why.find(kRange);
  if (value != std::string::npos && range != std::string::npos && range >= value + kValue.size()) {
    const std::size_t begin = value + kValue.size();
    return why.substr(0, value) + ": '" + why.substr(begin, range - begin) +
           "' is not allowed; allowed: a number of " + why.substr(range + kRange.size());
  }
  return why;
}

/// Prints the text of CLI11 for --help, --version and errors on our streams.
int finish_parse(const CLI::App& app, const CLI::ParseError& outcome, Console& console) {
  if (outcome.get_exit_code() != 0) {
    const auto chosen = app.get_subcommands();
    std::string why = plain_reason(outcome);
    if (!chosen.empty() && dynamic_cast<const CLI::ExtrasError*>(&outcome) != nullptr) {
      why += meant_option(*chosen.front());
    }
    console.error(chosen.empty() ? "usage" : chosen.front()->get_name(), why);
    console.note("try: shingled " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") +
                 "--help");
    return EX_USAGE;
  }
  const bool is_version = dynamic_cast<const CLI::CallForVersion*>(&outcome) != nullptr;
  std::string text = is_version ? outcome.what() : app.help();
  while (text.ends_with('\n')) text.pop_back();
  if (!is_version) text += settings_note(app);
  console.line(text);
  return EX_OK;
}

}  // namespace

int run_cli(const std::vector<std::string>& arguments, Console& console) {
  CLI::App app;
  Command chosen;
  describe(app, chosen);
  auto ordered = in_parsing_order(app, arguments);
  if (!ordered) {
    console.note("shingled: " + terminal_safe(ordered.error().message));
    console.note("try: shingled --help");
    return EX_USAGE;
  }
  std::reverse(ordered->begin(), ordered->end());  // CLI11 takes them from the back
  try {
    app.parse(*ordered);
  } catch (const CLI::ParseError& outcome) {
    return finish_parse(app, outcome, console);
  }
  const int code = chosen(console);
  if (!console.broken()) return code;
  console.error("standard output", "cannot be written");
  return code == EX_OK ? EX_IOERR : code;
}

int run_cli(int argc, char** argv) {
  Console console(std::cout, std::cerr);
  try {
    process::watch_interrupts();
    return run_cli(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), console);
  } catch (const std::exception& failure) {
    console.error("internal error", failure.what());
    return EX_SOFTWARE;
  }
}

}  // namespace shingled::milter::cli
