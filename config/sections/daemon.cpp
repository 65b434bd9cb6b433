#include "config/sections/sections.h"

namespace shingled::config {

namespace {
constexpr std::array<Choice<LogLevel>, 4> kLogLevels = {{{"debug", LogLevel::kDebug},
                                                         {"info", LogLevel::kInfo},
                                                         {"warning", LogLevel::kWarning},
                                                         {"error", LogLevel::kError}}};
}  // namespace

void load_daemon(Section&& section, DaemonOptions& out) {
  section.text("user", out.user);
  section.text("group", out.group);
  section.path_or_empty("pid_file", out.pid_file);
  section.path_or_empty("log_file", out.log_file);
  section.choice<LogLevel>("log_level", out.log_level, kLogLevels);
}

}  // namespace shingled::config
