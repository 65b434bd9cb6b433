#pragma once

#include <string>

#include "config/options/report_options.h"

namespace shingled::milter::peers {

/// Where a daemon keeps what waits for its reports.home.
inline std::string spool_folder(const ReportOptions& options) { return options.file + ".spool"; }

}  // namespace shingled::milter::peers
