#include "milter/process/restart_needed.h"

#include "config/keys/key_table.h"
#include "config/sections/settings_keys.h"

namespace shingled::milter::process {

namespace {

void compare(const config::Keys<Settings>& keys, const std::string& path, const Settings& running,
             const Settings& wanted, std::vector<std::string>& names) {
  for (const config::Key<Settings>& key : keys) {
    const std::string name = config::within(path, key->name);
    if (!key->at_start) {
      compare(key->keys(), name, running, wanted, names);
    } else if (!key->same(running, wanted)) {
      names.push_back(name);
    }
  }
}

}  // namespace

std::vector<std::string> restart_needed(const Settings& running, const Settings& wanted) {
  std::vector<std::string> names;
  compare(config::settings_keys(), "", running, wanted, names);
  // Their number may change, but not whether there are any.
  const auto serves_tcp = [](const Settings& settings) {
    return settings.storage.server.tcp_connections_max > 0;
  };
  if (serves_tcp(running) != serves_tcp(wanted)) names.emplace_back("storage.tcp_connections_max");
  return names;
}

}  // namespace shingled::milter::process
