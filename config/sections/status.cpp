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

void load_status(Section&& section, StatusOptions& out) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  load_http_sockets(section, "listen", kStatusPort, out.listen);
  section.number<std::uint32_t>("connections_max", out.connections_max, {2, 10'000});
  section.duration<seconds>("timeout", out.timeout, {seconds(1), minutes(10)});
  section.number<std::uint32_t>("matches_max", out.matches_max, {1, 10'000});
}

}  // namespace shingled::config
