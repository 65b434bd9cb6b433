#include "config/sections/sections.h"

namespace shingled::config {

namespace {
constexpr std::array<Choice<LogLevel>, 4> kLogLevels = {{{"debug", LogLevel::kDebug},
                                                         {"info", LogLevel::kInfo},
                                                         {"warning", LogLevel::kWarning},
                                                         {"error", LogLevel::kError}}};

using enum SyslogFacility;
constexpr std::array<Choice<SyslogFacility>, 12> kFacilities = {{{"none", kNone},
                                                                 {"mail", kMail},
                                                                 {"daemon", kDaemon},
                                                                 {"user", kUser},
                                                                 {"local0", kLocal0},
                                                                 {"local1", kLocal1},
                                                                 {"local2", kLocal2},
                                                                 {"local3", kLocal3},
                                                                 {"local4", kLocal4},
                                                                 {"local5", kLocal5},
                                                                 {"local6", kLocal6},
                                                                 {"local7", kLocal7}}};
}  // namespace

void load_daemon(Section&& section, DaemonOptions& out) {
  section.text("user", out.user);
  section.text("group", out.group);
  section.path_or_empty("pid_file", out.pid_file);
  section.path_or_empty("log_file", out.log_file);
  section.choice<SyslogFacility>("syslog", out.syslog, kFacilities);
  if (out.syslog != SyslogFacility::kNone && !out.log_file.empty())
    section.problem("syslog", "there is one log, and log_file names it; allowed: one of the two");
  section.choice<LogLevel>("log_level", out.log_level, kLogLevels);
}

}  // namespace shingled::config
