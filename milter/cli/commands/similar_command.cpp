#include <CLI/CLI.hpp>
#include <memory>

#include "milter/cli/commands/commands.h"
#include "milter/cli/similar/sample_commands.h"
#include "milter/cli/similar/signature_commands.h"
#include "milter/input/ordered_work.h"

namespace shingled::milter::cli {

namespace {

void add_input_options(similar::InputArguments& input, CLI::App& command, const char* what) {
  command
      .add_option("files", input.names,
                  "Files, directories with everything below them, - for standard input")
      ->type_name(what)
      ->required();
  command
      .add_option("-j,--jobs", input.jobs, "Number of files at the same time (one per processor)")
      ->type_name("N")
      ->check(CLI::Range(1U, input::kJobsMax));
  auto* bare =
      command.add_flag("-b,--bare-names", input.bare_names, "Names without their directories");
  command.add_flag("--absolute", input.absolute_names, "Names from the root")->excludes(bare);
}

void describe_sign(CLI::App& verb, SignArguments& arguments) {
  arguments.settings.add_to(verb);
  add_input_options(arguments.input, verb, "FILE|DIR|-");
  verb.add_flag("--json", arguments.json, "One JSON object per line and file");
  verb.footer(
      R"(The output is that of `ssdeep -s`, except that names are as given on the command line. `ssdeep -m` and `-x`
read it, and so do compare, add and search.

Example:
  shingled similar sign --jobs 4 /srv/files > files.csv)");
}

void describe_compare(CLI::App& verb, CompareArguments& arguments) {
  arguments.settings.add_to(verb);
  add_input_options(arguments.input, verb, "FILE|DIR|CSV|-");
  verb.add_option("-t,--threshold", arguments.threshold, "Only pairs with at least this score (1)")
      ->type_name("N")
      ->check(CLI::Range(1, 100));
  auto* csv = verb.add_flag("--csv", arguments.csv, "As ssdeep -c: \"one\",\"other\",score");
  verb.add_flag("--json", arguments.json, "One JSON object per line and pair")->excludes(csv);
  verb.footer(
      R"(Scores are those of ssdeep, 1 to 100; 100 does not mean equal. A file with a list of signatures, ours or ssdeep's,
means the files it lists. For two single files the score is always printed.

Example:
  shingled similar compare old.pdf new.pdf
  shingled similar compare --threshold 60 files.csv /srv/more)");
}

void describe_add(CLI::App& verb, AddArguments& arguments) {
  arguments.library.add_to(verb);
  add_input_options(arguments.input, verb, "FILE|DIR|CSV|-");
  verb.add_option("--list", arguments.list, "List to add them to")->type_name("NAME")->required();
  verb.add_option("--name", arguments.name, "Name of the sample, for one file only")
      ->type_name("NAME");
  verb.add_flag("--raw", arguments.raw, "Do not open containers");
  verb.add_flag("--dry-run", arguments.dry_run, "Only sign and count");
  verb.add_flag("--json", arguments.json,
                "One JSON object per line and sample, after it is stored");
  verb.footer(
      R"(Of a container (zip, docx, jar, tar.gz) the contents are signed, so that it does not matter how it was packed. A list
of signatures, ours or ssdeep's, means the files it lists; such samples are found only as a whole. A known sample is
not added again.

Example:
  shingled similar add --list bad-documents /srv/quarantine)");
}

void describe_search(CLI::App& verb, SearchArguments& arguments) {
  arguments.library.add_to(verb);
  add_input_options(arguments.input, verb, "FILE|DIR|CSV|-");
  verb.add_option("--top", arguments.top, "At most this many samples of each kind (10)")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000U));
  verb.add_option("-t,--threshold", arguments.threshold,
                  "Only samples with at least this score (1)")
      ->type_name("N")
      ->check(CLI::Range(1, 100));
  verb.add_option("--shared", arguments.shared,
                  "Only samples that share at least this many n-grams (4)")
      ->type_name("N")
      ->check(CLI::Range(1U, 100'000U));
  verb.add_flag("--raw", arguments.raw, "Do not open containers");
  verb.add_flag("--json", arguments.json,
                "One JSON object per line and file, or entry of a container");
  verb.footer(
      R"(similar: the score of ssdeep, 1 to 100. shares: how many n-grams of the file are also in a part of the sample; about
ten kilobytes in common are enough.

Example:
  shingled similar search --top 3 attachment.docx)");
}

void describe_list(CLI::App& verb, SampleListArguments& arguments) {
  arguments.library.add_to(verb);
  verb.add_option("--list", arguments.list, "Only this list")->type_name("NAME");
  verb.add_option("--limit", arguments.limit, "At most this many (100); 0 = all")->type_name("N");
  auto* csv = verb.add_flag("--csv", arguments.csv, "As ssdeep's CSV");
  verb.add_flag("--json", arguments.json, "One JSON object per line and sample")->excludes(csv);
  verb.footer(R"(Example:
  shingled similar list --list bad-documents --limit 0 --csv > bad.csv)");
}

void describe_del(CLI::App& verb, SampleDelArguments& arguments) {
  arguments.library.add_to(verb);
  add_input_options(arguments.input, verb, "FILE|DIR|CSV|-");
  verb.get_option("files")->required(false);
  verb.add_option("--list", arguments.list, "Samples of this list")->type_name("NAME");
  verb.add_option("--name", arguments.names, "Samples of this name")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb.add_option("--id", arguments.ids, "Samples of this number")
      ->type_name("N")
      ->allow_extra_args(false);
  verb.add_flag("--raw", arguments.raw, "Do not open containers");
  verb.add_flag("--dry-run", arguments.dry_run, "Only print them");
  verb.add_flag("--json", arguments.json, "One JSON object per line and sample");
  verb.footer(
      R"(A file means the samples with its signature. A sample must match all kinds of conditions that are given; several
--name, --id or files are alternatives.

Example:
  shingled similar del --list bad-documents --dry-run not-so-bad.docx)");
}

}  // namespace

void add_similar_command(CLI::App& app, Command& chosen) {
  CLI::App* similar = app.add_subcommand(
      "similar", "Similar files: signatures like those of ssdeep, and a library of known files");
  similar->require_subcommand(1);
  similar->footer(
      R"(The library is the file similar.file. The daemon does not have to run; if it does, it follows changes.
Commands that use the library take -c FILE and -o KEY=VALUE.

Example:
  shingled similar add --list bad-documents /srv/quarantine
  shingled similar search attachment.docx)");
  add_verb(*similar, chosen, "sign", "Print signatures of files as ssdeep's CSV", run_sign,
           describe_sign);
  add_verb(*similar, chosen, "compare", "Find similar files among those given", run_compare,
           describe_compare);
  add_verb(*similar, chosen, "add", "Add files to the library", run_similar_add, describe_add);
  add_verb(*similar, chosen, "search", "Find the samples that files, or parts of them, resemble",
           run_similar_search, describe_search);
  add_verb(*similar, chosen, "list", "List the samples", run_similar_list, describe_list);
  add_verb(*similar, chosen, "del", "Delete samples from the library", run_similar_del,
           describe_del);
}

}  // namespace shingled::milter::cli
