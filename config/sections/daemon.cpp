#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {
constexpr std::array<Choice<LogFormat>, 2> kLogFormats = {
    {{"logfmt", LogFormat::kLogfmt}, {"json", LogFormat::kJson}}};

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

void check_daemon(Section& section, Settings& settings) {
  const DaemonOptions& options = settings.daemon;
  if (options.syslog != SyslogFacility::kNone && !options.log_file.empty())
    section.problem("syslog", "there is one log, and log_file names it; allowed: one of the two");
}

}  // namespace

Key<Settings> daemon_section() {
  const auto start = at_start(&Settings::daemon);
  const auto live = at_reload(&Settings::daemon);
  return map<Settings>(
      "daemon",
      {
          key("user", start(&DaemonOptions::user), Text{},
              "user to become once the sockets are open; \"\" = do not change"),
          key("group", start(&DaemonOptions::group), Text{},
              "group to become; \"\" = the user's group"),
          key("pid_file", start(&DaemonOptions::pid_file), Path{}, "absolute path; \"\" = none"),
          key("log_file", start(&DaemonOptions::log_file), Path{},
              "absolute path, not a symbolic link; SIGUSR1 reopens it; \"\" = standard error"),
          key("syslog", start(&DaemonOptions::syslog), OneOf(kFacilities),
              "log to syslog: mail, daemon, user, local0 to local7; not with log_file"),
          key("log_level", live(&DaemonOptions::log_level), OneOf(kLogLevels),
              "debug, info, warning, error"),
          key("log_format", start(&DaemonOptions::log_format), OneOf(kLogFormats),
              "logfmt = event key=value ..., or json = an object in each line"),
      },
      check_daemon);
}

}  // namespace shingled::config
