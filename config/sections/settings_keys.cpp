#include "config/sections/settings_keys.h"

#include "config/sections/sections.h"

namespace shingled::config {

const Keys<Settings>& settings_keys() {
  static const Keys<Settings> keys = {
      daemon_section(),   milter_section(), mime_section(),  ratelimit_section(), similar_section(),
      counters_section(), policy_section(), model_section(), history_section(),   reports_section(),
      storage_section(),  status_section(), http_section(),  client_section(),    rules_section(),
  };
  return keys;
}

}  // namespace shingled::config
