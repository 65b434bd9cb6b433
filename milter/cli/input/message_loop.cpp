#include "milter/cli/input/message_loop.h"

#include <sysexits.h>
#include <unistd.h>

#include <algorithm>

#include "milter/cli/input/progress.h"
#include "milter/cli/terminal/exit_code.h"
#include "milter/cli/terminal/interrupt.h"

namespace shingled::milter::cli {

void MessageArguments::add_to(CLI::App& command) {
  command
      .add_option("messages", names,
                  "Files, mboxes, directories (Maildirs too) or - for standard input")
      ->type_name("FILE|DIR|MBOX|-");
}

int for_each_message(const MessageArguments& arguments, const MessageSource::Options& options,
                     Console& console, const std::function<int(const SourceMessage&)>& work) {
  const auto& names = arguments.names;
  const bool reads_input =
      names.empty() || std::find(names.begin(), names.end(), "-") != names.end();
  if (reads_input && ::isatty(STDIN_FILENO) == 1) {
    console.note("shingled: reading a message from the terminal; end it with Ctrl-D");
  }
  MessageSource source(names, options);
  const SystemClock clock;
  Progress progress(console, source, clock);
  int worst = EX_OK;
  while (const auto message = source.next()) {
    if (interrupted()) break;
    if (message->error) {
      console.error(message->name, message->error->message);
      worst = worse_exit_code(worst, exit_code(message->error->code));
      continue;
    }
    if (message->cut)
      console.error(message->name,
                    "longer than milter.message_bytes_max: only its beginning is used");
    const int code = work(*message);
    worst = worse_exit_code(worst, code);
    if ((code != EX_OK && code != EX_DATAERR) || console.broken()) break;
    progress.step();
  }
  return interrupted() ? kExitInterrupted : worst;
}

}  // namespace shingled::milter::cli
