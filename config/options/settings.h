#pragma once

#include <vector>

#include "config/options/daemon_options.h"
#include "config/options/milter_options.h"
#include "config/options/mime_options.h"
#include "config/options/rule_options.h"
#include "config/options/storage_options.h"

namespace shingled {

/// The storage section: the engine and its service.
struct StorageOptions {
  bool enabled = true;
  EngineOptions engine;
  ServerOptions server;

  friend bool operator==(const StorageOptions&, const StorageOptions&) = default;
};

/// All settings, immutable once loaded: passed as shared_ptr<const Settings>, swapped as a whole at
/// reload, taken once per message. A library receives its own struct, never this sum.
struct Settings {
  DaemonOptions daemon;
  MilterOptions milter;
  MimeOptions mime;
  StorageOptions storage;
  std::vector<RuleOptions> rules = {RuleOptions{}};

  friend bool operator==(const Settings&, const Settings&) = default;
};

}  // namespace shingled
