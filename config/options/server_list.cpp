#include "config/options/server_list.h"

#include <algorithm>
#include <array>
#include <optional>

#include "config/base/ascii.h"
#include "config/base/number_text.h"

namespace shingled {

namespace {

struct RotationName {
  std::string_view name;
  Rotation rotation;
};
constexpr std::array<RotationName, 5> kRotations = {{{"round-robin", Rotation::kRoundRobin},
                                                     {"sequential", Rotation::kSequential},
                                                     {"master-slave", Rotation::kMasterSlave},
                                                     {"hash", Rotation::kHash},
                                                     {"random", Rotation::kRandom}}};

constexpr std::string_view kService = "service=";

Error refuse(std::string_view text, std::string_view why) {
  std::string message = "'";
  message.append(text).append("' is not a valid server: ").append(why);
  message.append("; allowed: HOST:PORT, [IPV6]:PORT, HOST:PORT:WEIGHT, service=NAME+DOMAIN");
  return Error{ErrorCode::kInvalid, message};
}

std::optional<std::uint32_t> parse_weight(std::string_view text) {
  return parse_whole<std::uint32_t>(text, 1, ServerSpec::kWeightMax);
}

/// The position of ":WEIGHT" in an entry that has one: after a port that follows a host.
std::size_t find_weight(std::string_view text) {
  constexpr std::size_t kNone = std::string_view::npos;
  const bool milter_style = text.starts_with("inet:") || text.starts_with("inet6:") ||
                            text.starts_with("unix:") || text.starts_with("local:");
  if (milter_style || IpAddress::parse(text)) return kNone;
  const std::size_t bracket = text.rfind(']');
  const std::size_t host_end = text.find(':', bracket == kNone ? 0 : bracket);
  if (host_end == kNone) return kNone;
  return text.find(':', host_end + 1);
}

/// The labels of a domain name: letters, digits, '-', '_', each of 1 to 63 bytes.
bool is_domain(std::string_view text) {
  constexpr std::size_t kNameBytesMax = 253;
  constexpr std::size_t kLabelBytesMax = 63;
  if (text.empty() || text.size() > kNameBytesMax) return false;
  std::size_t label = 0;
  for (const char c : text) {
    if (c == '.') {
      if (label == 0) return false;
      label = 0;
      continue;
    }
    const bool allowed = ascii::is_alnum(c) || c == '-' || c == '_';
    if (!allowed || ++label > kLabelBytesMax) return false;
  }
  return true;
}

/// Reads the weight after the colon at `colon` of `rest`, and cuts both off; npos: there is none.
Status take_weight(std::string_view text, std::size_t colon, std::string_view& rest,
                   ServerSpec& spec) {
  if (colon == std::string_view::npos) return {};
  const auto weight = parse_weight(rest.substr(colon + 1));
  if (!weight) return refuse(text, "the weight must be 1 to 1000");
  spec.weight = *weight;
  rest = rest.substr(0, colon);
  return {};
}

Result<ServerSpec> parse_service(std::string_view text) {
  ServerSpec spec;
  std::string_view rest = text.substr(kService.size());
  if (Status taken = take_weight(text, rest.find(':'), rest, spec); !taken) return taken.error();
  const std::size_t plus = rest.find('+');
  if (plus == std::string_view::npos) return refuse(text, "the '+' before the domain is missing");
  spec.service = rest.substr(0, plus);
  spec.socket.host = rest.substr(plus + 1);
  constexpr std::size_t kServiceBytesMax = 62;  // a label of DNS, less the '_' before it
  const bool one_label = spec.service.find('.') == std::string::npos;
  if (!is_domain(spec.service) || !one_label || spec.service.size() > kServiceBytesMax) {
    return refuse(text, "the name of the service is not valid");
  }
  if (!is_domain(spec.socket.host)) return refuse(text, "the domain is not valid");
  return spec;
}

}  // namespace

std::string_view to_string(Rotation rotation) {
  for (const RotationName& known : kRotations) {
    if (known.rotation == rotation) return known.name;
  }
  return "?";
}

std::string_view take_rotation(std::string_view first_entry, Rotation& rotation) {
  for (const RotationName& known : kRotations) {
    if (!first_entry.starts_with(known.name)) continue;
    const std::string_view rest = first_entry.substr(known.name.size());
    if (rest.size() < 2 || rest.front() != ':') continue;
    rotation = known.rotation;
    return rest.substr(1);
  }
  return first_entry;
}

Result<ServerSpec> ServerSpec::parse(std::string_view text, std::uint16_t default_port) {
  constexpr std::size_t kBytesMax = 400;  // a domain of 253, a service, a port, a weight
  if (text.size() > kBytesMax) return Error{ErrorCode::kInvalid, "a server's name is too long"};
  if (const std::size_t colon = text.find("://"); colon != std::string_view::npos) {
    return refuse(text, "write it without '" + std::string(text.substr(0, colon)) + "://'");
  }
  if (text.starts_with(kService)) return parse_service(text);
  ServerSpec spec;
  std::string_view place = text;
  if (Status taken = take_weight(text, find_weight(text), place, spec); !taken) {
    return taken.error();
  }
  auto socket = SocketSpec::parse(place, default_port);
  if (!socket) return socket.error();
  spec.socket = *std::move(socket);
  return spec;
}

std::string ServerSpec::to_string() const {
  if (!service.empty()) return std::string(kService) + service + "+" + socket.host;
  const bool v6 = socket.host.find(':') != std::string::npos;
  return (v6 ? "[" + socket.host + "]" : socket.host) + ":" + std::to_string(socket.port);
}

}  // namespace shingled
