#pragma once

#include <CLI/App.hpp>
#include <string>

#include "milter/replay/history_span.h"

namespace shingled::milter::cli {

/// Adds --since and --until to a command. `default_since`: as help says it.
void add_span_options(replay::HistorySpan& span, CLI::App& command,
                      const std::string& default_since);

}  // namespace shingled::milter::cli
