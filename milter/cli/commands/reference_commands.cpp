#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "config/system/file_system.h"
#include "milter/cli/access/printing.h"
#include "milter/cli/access/settings_choice.h"
#include "milter/cli/commands/commands.h"
#include "milter/reference/command_page.h"
#include "milter/reference/command_tree.h"
#include "milter/reference/completion.h"
#include "milter/reference/system_page.h"

namespace shingled::milter::cli {

namespace {

struct ReferenceArguments {
  SettingsArguments settings;  // accepted and ignored but by `completion lists`, as in keypair
  std::string word;
  std::string folder;
};

void print_text(std::string text, Console& console) {
  while (text.ends_with('\n')) text.pop_back();
  console.line(text);
}

Status write_file(FileSystem& files, const std::string& name, const std::string& text) {
  auto file = files.create(name);
  if (!file) return file.error();
  return (*file)->append(as_bytes(text));
}

Status write_all_pages(const reference::CommandFacts& root, const std::string& folder) {
  const auto files = folder_files(folder);
  Status done =
      write_file(*files, "shingled.1", reference::program_page(root, reference::system_page()));
  for (const reference::CommandFacts& command : root.verbs) {
    if (!done) return done;
    done = write_file(*files, "shingled-" + command.name + ".1",
                      reference::command_page(command, reference::system_page()));
  }
  return done;
}

int run_manual(const reference::CommandFacts& root, const ReferenceArguments& arguments,
               Console& console) {
  if (!arguments.folder.empty()) {
    if (const Status done = write_all_pages(root, arguments.folder); !done) {
      console.error(arguments.folder, done.error().message);
      return exit_code(done.error().code);
    }
    return EX_OK;
  }
  if (arguments.word.empty()) {
    print_text(reference::program_page(root, reference::system_page()), console);
    return EX_OK;
  }
  const reference::CommandFacts* command = root.find(arguments.word);
  if (command == nullptr) {
    console.error("manual", terminal_safe(arguments.word) + ": no such command");
    return EX_USAGE;
  }
  print_text(reference::command_page(*command, reference::system_page()), console);
  return EX_OK;
}

/// The names of the lists of all rules, one per line.
int print_lists(const SettingsArguments& source, Console& console) {
  const auto settings = source.load_if_allowed(console);
  if (settings == nullptr) return EX_CONFIG;
  std::set<std::string> names;
  for (const RuleOptions& rule : settings->rules) {
    for (const FlagOptions& flag : rule.flags.all()) names.insert(flag.name);
  }
  for (const std::string& name : names) console.line(terminal_safe(name));
  return EX_OK;
}

void add_completion(CLI::App& app, Command& chosen) {
  CLI::App* command =
      app.add_subcommand("completion", "Print the script by which a shell completes this command");
  const auto arguments = std::make_shared<ReferenceArguments>();
  arguments->settings.add_to(*command);
  command->add_option("shell", arguments->word, "The shell")
      ->type_name("SHELL")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "lists"}));
  command->footer(
      R"(An installation has both scripts already, where the shells look for them. They ask for the names of lists, such as
those of --flag, with: shingled completion lists

Example:
  shingled completion bash > ~/.local/share/bash-completion/completions/shingled
  shingled completion zsh > /usr/local/share/zsh/site-functions/_shingled)");
  command->callback([arguments, &app, &chosen] {
    chosen = [arguments, &app](Console& console) {
      if (arguments->word == "lists") return print_lists(arguments->settings, console);
      const reference::CommandFacts root = reference::command_tree(app);
      print_text(arguments->word == "bash" ? reference::bash_completion(root)
                                           : reference::zsh_completion(root),
                 console);
      return EX_OK;
    };
  });
}

void add_manual(CLI::App& app, Command& chosen) {
  CLI::App* command = app.add_subcommand("manual", "Print the manual page of a command");
  const auto arguments = std::make_shared<ReferenceArguments>();
  arguments->settings.add_to(*command);
  command->add_option("--directory", arguments->folder, "Write the pages of all commands there")
      ->type_name("DIR");
  command
      ->add_option("command", arguments->word, "The command; without one the page of the program")
      ->type_name("COMMAND");
  command->footer(
      R"(The page is in the form that man reads. It is made from what --help prints and from shingled(8).

Example:
  shingled manual report | man -l -)");
  command->callback([arguments, &app, &chosen] {
    chosen = [arguments, &app](Console& console) {
      return run_manual(reference::command_tree(app), *arguments, console);
    };
  });
}

}  // namespace

void add_reference_commands(CLI::App& app, Command& chosen) {
  add_completion(app, chosen);
  add_manual(app, chosen);
}

}  // namespace shingled::milter::cli
