#include "config/keys/forms.h"
#include "config/sections/sections.h"
#include "config/words/nearest_word.h"

namespace shingled::config {

namespace {

constexpr std::string_view kServerForm =
    "HOST:PORT, [IPV6]:PORT, HOST:PORT:WEIGHT, service=NAME+DOMAIN";

constexpr std::array<Choice<std::uint8_t>, 5> kProtocols = {
    {{"auto", 0}, {"3", 3}, {"4", 4}, {"5", 5}, {"0x14", 0x14}}};

constexpr std::array<Choice<TcpUse>, 7> kTcpUses = {{{"no", TcpUse::kNo},
                                                     {"yes", TcpUse::kYes},
                                                     {"auto", TcpUse::kAuto},
                                                     {"false", TcpUse::kNo},
                                                     {"true", TcpUse::kYes},
                                                     {"off", TcpUse::kNo},
                                                     {"on", TcpUse::kYes}}};

/// The rotation that was meant by "roundrobin:a.example", if the word before the colon is neither a
/// rotation nor a host with a port or a weight after it.
std::optional<std::string> meant_rotation(std::string_view word) {
  static const std::vector<std::string> rotations = {"round-robin", "sequential", "master-slave",
                                                     "hash", "random"};
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Rotation known{};
  if (take_rotation(word, known) != word) return std::nullopt;
  const std::string_view rest = word.substr(colon + 1);
  const std::string_view next = rest.substr(0, rest.find(':'));
  if (next.find_first_not_of("0123456789") == std::string_view::npos) return std::nullopt;
  return nearest_word(word.substr(0, colon), rotations);
}

void load_servers(Section& section, std::string_view key, ServerList& out) {
  const auto field = section.field(key);
  if (!field) return;
  out = {};
  bool first = true;
  for (const auto& [item, word] : field->words(kServerForm)) {
    std::string_view text = word;
    if (const auto meant = first ? meant_rotation(word) : std::nullopt) {
      item.problem(in_quotes(word) + " does not begin with the name of a rotation; did you mean " +
                   in_quotes(*meant + ':') + "?");
      first = false;
      continue;
    }
    if (first) text = take_rotation(word, out.rotation);
    first = false;
    auto server = ServerSpec::parse(text, kFuzzyPort);
    if (!server) {
      item.problem(server.error().message);
    } else if (server->socket.kind == SocketSpec::Kind::kUnix) {
      item.problem(in_quotes(word) + " is a unix socket", kServerForm);
    } else {
      out.servers.push_back(*std::move(server));
    }
  }
}

void load_key(Section& section, std::string_view key, std::optional<RemoteOptions::Key>& out) {
  const auto field = section.field(key);
  if (!field) return;
  const bool none = field->is_null() ||
                    (field->node().kind == YamlNode::Kind::kScalar && field->node().text.empty());
  out = none ? std::nullopt : read_key(*field);
}

const Typed<ServerList> kServers = {
    "list of servers", load_servers,
    [](const ServerList& /*servers*/) { return std::string("[]"); }};
const Typed<std::optional<RemoteOptions::Key>> kServerKey = {
    "key", load_key,
    [](const std::optional<RemoteOptions::Key>& /*key*/) { return flow_scalar(""); }};

}  // namespace

Keys<RuleOptions> remote_keys() {
  const auto remote = at_reload(&RuleOptions::remote);
  return {
      key("servers", remote(&RemoteOptions::servers), kServers,
          "such as \"master-slave:a.example:11335:2, b.example\"; [] = the embedded storage"),
      key("read_servers", remote(&RemoteOptions::read_servers), kServers,
          "servers that are asked instead of `servers`; [] = those, or else write_servers"),
      key("write_servers", remote(&RemoteOptions::write_servers), kServers,
          "servers that are taught instead of `servers`; [] = those, or else read_servers"),
      key("encryption_key", remote(&RemoteOptions::encryption_key), kServerKey,
          "public key of the servers, z-base-32; \"\" = no encryption"),
      key("read_encryption_key", remote(&RemoteOptions::read_encryption_key), kServerKey,
          "of read_servers; \"\" = encryption_key, or else write_encryption_key"),
      key("write_encryption_key", remote(&RemoteOptions::write_encryption_key), kServerKey,
          "of write_servers; \"\" = encryption_key, or else read_encryption_key"),
      key("timeout", remote(&RemoteOptions::timeout), Time{10ms, 1min},
          "longest wait for the answer to one packet, {}"),
      key("retransmits", remote(&RemoteOptions::retransmits), Number{0, 10},
          "how often a packet without an answer is sent again, {}"),
      constant("errors_max", remote(&RemoteOptions::errors_max), Number::write),
      constant("revive_time", remote(&RemoteOptions::revive_time), Time::write),
      key("tcp", remote(&RemoteOptions::tcp), OneOf(kTcpUses),
          "no = UDP, yes = TCP, auto = TCP from one request per second on; repeated packets, and "
          "servers "
          "that do not accept connections, use UDP"),
      constant("tcp_threshold", remote(&RemoteOptions::tcp_threshold), Real::write),
      constant("tcp_retry_delay", remote(&RemoteOptions::tcp_retry_delay), Time::write),
      key("resolve_interval", remote(&RemoteOptions::resolve_interval), Time{10s, 168h},
          "names of servers are looked up again after this time, {}; sooner if a name was not "
          "found, which delays neither the start nor mail"),
      key("protocol", remote(&RemoteOptions::protocol), OneOf(kProtocols),
          "version byte of requests: 3, 4, 5, 0x14; auto = 0x14 (replies with all flags), and 4 "
          "for a server that does not answer it"),
  };
}

}  // namespace shingled::config
