#include <array>
#include <span>

#include "config/sections/sections.h"

namespace shingled::config {

namespace {

struct ForeignKey {
  std::string_view name;
  std::string_view why;
};

constexpr std::string_view kOfRedis =
    "belongs to the section redis; allowed: storage.redis, with backend: redis";

constexpr std::array<ForeignKey, 7> kOfFile = {{
    {"worker", "is a section of rspamd's; allowed: storage"},
    {"fuzzy_check", "is a section of rspamd's; allowed: rules"},
    {"rule", "is a section of rspamd's; allowed: rules"},
    {"fuzzy_storage", "is not a section of this file; allowed: storage"},
    {"redis", "belongs to the section storage; allowed: storage.redis"},
    {"shingler", "is not a section of this file; allowed: counters"},
    {"logging",
     "is a section of rspamd's; allowed: daemon.log_file, daemon.syslog, daemon.log_level"},
}};

constexpr std::string_view kOfSharedCounters =
    "belongs to the section redis; allowed: counters.redis, with counters.servers";
constexpr std::string_view kOneList = "has no meaning here, one list serves both; allowed: servers";
constexpr std::string_view kAlwaysKept =
    "ten minutes are kept for 24 hours and days for 15 days; allowed: leave it out";

constexpr std::array<ForeignKey, 14> kOfCounters = {{
    {"cluster", kOfSharedCounters},
    {"wait_replicas", kOfSharedCounters},
    {"db", kOfSharedCounters},
    {"dbname", "is rspamd's name; allowed: counters.redis.db, with counters.servers"},
    {"username", kOfSharedCounters},
    {"password", kOfSharedCounters},
    {"prefix", kOfSharedCounters},
    {"read_servers", kOneList},
    {"write_servers", kOneList},
    {"expire", kAlwaysKept},
    {"retention", kAlwaysKept},
    {"key",
     "is not in this file; allowed: key_file, the path of a file with 32 hexadecimal digits"},
    {"file", "the counters have several files; allowed: directory"},
    {"hashfile", "the counters have several files; allowed: directory"},
}};

constexpr std::array<ForeignKey, 2> kOfMilter = {{
    {"bind_socket", "is rspamd's name; allowed: socket, such as inet:11339@127.0.0.1"},
    {"listen", "has one place; allowed: socket, such as inet:11339@127.0.0.1"},
}};

constexpr std::array<ForeignKey, 12> kOfStorage = {{
    {"bind_socket", "is rspamd's name; allowed: listen, such as '*:11335'"},
    {"count", "is rspamd's name; allowed: threads"},
    {"servers", kOfRedis},
    {"read_servers", kOfRedis},
    {"write_servers", kOfRedis},
    {"password", kOfRedis},
    {"username", kOfRedis},
    {"db", kOfRedis},
    {"dbname", kOfRedis},
    {"prefix", "belongs to the section redis; allowed: redis.prefix"},
    {"updates_maxfail",
     "an update that cannot be stored is refused with 503 at once, never kept for another try; "
     "allowed: leave it out"},
    {"dedicated_update_worker", "updates always have a thread of their own; allowed: leave it out"},
}};

constexpr std::array<ForeignKey, 4> kOfRule = {{
    {"fuzzy_map",
     "is rspamd's name; allowed: flags, such as flags: {denied: {flag: 11, symbol: FUZZY_DENIED, "
     "hits_limit: 20, weight: 10}}"},
    {"max_errors", "is rspamd's name; allowed: errors_max"},
    {"io_timeout", "is rspamd's name; allowed: timeout"},
    {"max_score", "belongs to a list in flags; allowed: hits_limit there"},
}};

constexpr std::array<ForeignKey, 1> kOfFlag = {{
    {"max_score", "is rspamd's name; allowed: hits_limit"},
}};

void refuse(Section& section, std::span<const ForeignKey> keys) {
  for (const ForeignKey& key : keys) section.refuse_key(key.name, key.why);
}

}  // namespace

void refuse_foreign_keys(Section& section, ForeignTo place) {
  switch (place) {
    case ForeignTo::kFile:
      return refuse(section, kOfFile);
    case ForeignTo::kCounters:
      return refuse(section, kOfCounters);
    case ForeignTo::kMilter:
      return refuse(section, kOfMilter);
    case ForeignTo::kStorage:
      return refuse(section, kOfStorage);
    case ForeignTo::kRule:
      return refuse(section, kOfRule);
    case ForeignTo::kFlag:
      return refuse(section, kOfFlag);
  }
}

}  // namespace shingled::config
