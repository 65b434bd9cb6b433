#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {
constexpr std::uint16_t kStatusPort = 11340;
}  // namespace

void load_http_sockets(Section& section, std::string_view key, std::uint16_t default_port,
                       std::vector<SocketSpec>& out) {
  constexpr std::string_view kAllowed = "HOST:PORT, [IPV6]:PORT, unix:/PATH, or [] for none";
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  for (const auto& [item, word] : field->words(kAllowed)) {
    if (const auto spec = read_socket(item, word, default_port)) out.push_back(*spec);
  }
}

Key<Settings> status_section() {
  const auto start = at_start(&Settings::status);
  return start_map<Settings>(
      "status",
      {
          key("listen", start(&StatusOptions::listen),
              Typed<std::vector<SocketSpec>>{
                  "list of sockets",
                  [](Section& section, std::string_view key, std::vector<SocketSpec>& out) {
                    load_http_sockets(section, key, kStatusPort, out);
                  },
                  flow_sockets},
              "HOST:PORT, [IPV6]:PORT or unix:/PATH (mode 0660); [] = off. Requests from this "
              "machine must use an address, localhost, the machine's name or a name given here "
              "(other names are answered with 421)"),
          key("connections_max", start(&StatusOptions::connections_max), Number{2, 10'000},
              "at the same time for each address of listen, half of them for one client, {}"),
          key("timeout", start(&StatusOptions::timeout), Time{1s, 10min},
              "for a request and its answer together, {}"),
          constant("matches_max", start(&StatusOptions::matches_max), Number::write),
      });
}

}  // namespace shingled::config
