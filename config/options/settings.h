#pragma once

#include <vector>

#include "config/options/daemon_options.h"
#include "config/options/milter_options.h"
#include "config/options/mime_options.h"
#include "config/options/ratelimit_options.h"
#include "config/options/redis_options.h"
#include "config/options/replication_options.h"
#include "config/options/rule_options.h"
#include "config/options/similar_options.h"
#include "config/options/status_options.h"
#include "config/options/storage_options.h"

namespace shingled {

/// What holds the hashes.
enum class Backend : std::uint8_t {
  kEmbedded,  ///< the engine in this process, over `hashfile`
  kRedis,     ///< a Redis database, shared with other daemons and with rspamd
  kNoop,      ///< nothing: every CHECK a miss, updates are thrown away
};

/// The storage section: what holds the hashes, the service in front of it, its copies.
struct StorageOptions {
  bool enabled = true;
  Backend backend = Backend::kEmbedded;
  EngineOptions engine;
  RedisOptions redis;
  ServerOptions server;
  ReplicationOptions replication;

  friend bool operator==(const StorageOptions&, const StorageOptions&) = default;
};

/// All settings, immutable once loaded: passed as shared_ptr<const Settings>, swapped as a whole at
/// reload, taken once per message. A library receives its own struct, never this sum.
struct Settings {
  DaemonOptions daemon;
  MilterOptions milter;
  MimeOptions mime;
  MailLimitOptions ratelimit;
  SimilarOptions similar;
  StorageOptions storage;
  StatusOptions status;
  std::vector<RuleOptions> rules = {RuleOptions{}};  ///< none where all are switched off

  friend bool operator==(const Settings&, const Settings&) = default;
};

}  // namespace shingled
