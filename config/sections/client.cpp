#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

Key<Settings> client_section() {
  const auto place = at_reload(&Settings::client);
  return map<Settings>(
      "client",
      {
          key("server", place(&ClientOptions::server), Text{},
              "the daemon that commands ask, such as https://mx.example.org:11340; \"\" = that of "
              "this machine (http.listen)"),
          key("key_file", place(&ClientOptions::key_file), Path{},
              "has the key that `shingled key add` showed there; \"\" = none"),
          key("ca_file", place(&ClientOptions::ca_file), Path{},
              "PEM, the certificates to trust; \"\" = those of the system"),
      },
      [](Section& section, Settings& settings) {
        const ClientOptions& client = settings.client;
        if (client.server.empty() && !(client.key_file + client.ca_file).empty())
          section.problem("server",
                          "is empty, so the rest has no effect; allowed: the URL of a daemon");
      });
}

}  // namespace shingled::config
