#pragma once

#include "milter/terminal/console.h"
#include "milter/terminal/exit_code.h"
#include "milter/terminal/export_output.h"
#include "milter/terminal/message_loop.h"
#include "milter/terminal/progress_meter.h"
#include "milter/terminal/terminal_text.h"
#include "milter/view/json.h"

namespace shingled::milter::cli {

// What every command prints with.
using terminal::Console;
using terminal::counted;
using terminal::database_exit_code;
using terminal::exit_code;
using terminal::ExportOutput;
using terminal::for_each_message;
using terminal::MessageArguments;
using terminal::print_table;
using terminal::Progress;
using terminal::ProgressMeter;
using terminal::service_exit_code;
using terminal::shell_word;
using terminal::shortened;
using terminal::table_lines;
using terminal::TableRow;
using terminal::terminal_safe;
using terminal::usage_exit_code;
using terminal::worse_exit_code;

}  // namespace shingled::milter::cli
