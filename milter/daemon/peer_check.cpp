#include "milter/daemon/peer_check.h"

#include "milter/api/client/client_key.h"
#include "milter/http/endpoint.h"

namespace shingled::milter::daemon {

std::vector<PeerFault> find_peer_faults(const Settings& settings) {
  std::vector<PeerFault> out;
  const auto look = [&](const char* key, const std::string& url) {
    const auto server = http::parse_endpoint(url);
    if (!server) out.push_back({key, server.error().message, true});
  };
  const auto look_at_key = [&](const char* key, const std::string& file) {
    const auto read = api::read_client_key(file);
    if (!read) out.push_back({key, read.error().message});
  };
  if (!settings.reports.home.empty()) look("reports.home", settings.reports.home);
  look_at_key("reports.home_key_file", settings.reports.home_key_file);
  for (const std::string& url : settings.history.peers) look("history.peers", url);
  look_at_key("history.peers_key_file", settings.history.peers_key_file);
  return out;
}

}  // namespace shingled::milter::daemon
