#pragma once

#include <vector>

#include "config/options/client_options.h"
#include "config/options/counter_options.h"
#include "config/options/daemon_options.h"
#include "config/options/history_options.h"
#include "config/options/http_options.h"
#include "config/options/milter_options.h"
#include "config/options/mime_options.h"
#include "config/options/model_options.h"
#include "config/options/policy_options.h"
#include "config/options/ratelimit_options.h"
#include "config/options/report_options.h"
#include "config/options/rule_options.h"
#include "config/options/similar_options.h"
#include "config/options/storage_options.h"

namespace shingled {

/// All settings, immutable once loaded: passed as shared_ptr<const Settings>, swapped as a whole at
/// reload, taken once per message. A library receives its own struct, never all settings.
struct Settings {
  DaemonOptions daemon;
  MilterOptions milter;
  MimeOptions mime;
  MailLimitOptions ratelimit;
  SimilarOptions similar;
  CounterOptions counters;
  PolicyOptions policy;
  ModelOptions model;
  HistoryOptions history;
  ReportOptions reports;
  StorageOptions storage;
  HttpOptions http;
  ClientOptions client;
  std::vector<RuleOptions> rules = {RuleOptions{}};  ///< empty if all are switched off

  friend bool operator==(const Settings&, const Settings&) = default;
};

}  // namespace shingled
