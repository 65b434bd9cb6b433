#include "milter/cli/history/span_arguments.h"

namespace shingled::milter::cli {

void add_span_options(replay::HistorySpan& span, CLI::App& command,
                      const std::string& default_since) {
  command
      .add_option("--since", span.since,
                  "Only messages since: 7d ago, or a moment (" + default_since + ")")
      ->type_name("TIME");
  command.add_option("--until", span.until, "Only messages before: 1d ago, or a moment (now)")
      ->type_name("TIME");
}

}  // namespace shingled::milter::cli
