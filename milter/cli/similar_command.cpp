#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/commands.h"
#include "milter/cli/settings_choice.h"
#include "milter/cli/signature_commands.h"

namespace shingled::milter {

namespace {

/// Adds a verb whose arguments `describe` declares; `run` does it.
template <typename Arguments>
void add_similar_verb(CLI::App& parent, Command& chosen, const char* name, const char* summary,
                      int (*run)(const Arguments&, Console&),
                      void (*describe)(CLI::App&, Arguments&)) {
  CLI::App* verb = parent.add_subcommand(name, summary);
  const auto arguments = std::make_shared<Arguments>();
  describe(*verb, *arguments);
  verb->callback([arguments, run, &chosen] {
    chosen = [arguments, run](Console& console) { return run(*arguments, console); };
  });
}

void describe_sign(CLI::App& verb, SignArguments& arguments) {
  arguments.input.add_to(verb, "FILE|DIR|-");
  verb.add_flag("--json", arguments.json, "One JSON object a line and file");
  verb.footer(
      R"(What is printed is what `ssdeep -s` prints, but for names, which are as they were given; `ssdeep -m` and
`-x` read it, and so do compare, add and search.

Example:
  shingled similar sign --jobs 4 /srv/files > files.csv)");
}

void describe_compare(CLI::App& verb, CompareArguments& arguments) {
  arguments.input.add_to(verb, "FILE|DIR|CSV|-");
  verb.add_option("-t,--threshold", arguments.threshold, "Only pairs at least so alike (1)")
      ->type_name("N")
      ->check(CLI::Range(1, 100));
  auto* csv = verb.add_flag("--csv", arguments.csv, "As ssdeep -c: \"one\",\"other\",score");
  verb.add_flag("--json", arguments.json, "One JSON object a line and pair")->excludes(csv);
  verb.footer(
      R"(Scores are ssdeep's, 1 to 100; 100 does not mean equal. A file that is a list of signatures, ours or ssdeep's,
stands for what it lists. Two single files are printed whatever their score is.

Example:
  shingled similar compare old.pdf new.pdf
  shingled similar compare --threshold 60 files.csv /srv/more)");
}

}  // namespace

void add_similar_command(CLI::App& app, Command& chosen) {
  CLI::App* similar = app.add_subcommand(
      "similar",
      "Files that are alike: signatures as ssdeep has them, and a library of known ones");
  similar->require_subcommand(1);
  add_similar_verb(*similar, chosen, "sign", "Signatures of files, as ssdeep's CSV", run_sign,
                   describe_sign);
  add_similar_verb(*similar, chosen, "compare", "Which of some files are alike", run_compare,
                   describe_compare);
}

}  // namespace shingled::milter
