#include "milter/http/host_check.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "config/base/ascii.h"

namespace shingled::milter::http {

namespace {

constexpr std::size_t kNameBytesMax = 256;

}  // namespace

std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos &&
                        (colon == host.find(':') || host.substr(0, colon).ends_with(']')) &&
                        host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
  if (has_port) host = host.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

std::string machine_name() {
  std::array<char, kNameBytesMax> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

HostCheck::HostCheck(std::span<const SocketSpec> listen, std::string_view machine) {
  names_.emplace_back("localhost");
  if (!machine.empty()) names_.push_back(ascii::to_lower(machine));
  for (const SocketSpec& spec : listen) {
    if (spec.kind != SocketSpec::Kind::kUnix && !spec.host.empty()) {
      names_.push_back(ascii::to_lower(spec.host));
    }
  }
}

bool HostCheck::is_ours(std::string_view host) const {
  const std::string_view name = without_port(host);
  if (IpAddress::parse(name)) return true;
  std::string wanted = ascii::to_lower(name);
  if (wanted.ends_with('.')) wanted.pop_back();
  return std::ranges::find(names_, wanted) != names_.end();
}

}  // namespace shingled::milter::http
