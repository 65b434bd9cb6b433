#include "config/sections/sections.h"
#include "config/words/nearest_word.h"

namespace shingled::config {

namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

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

}  // namespace

void load_remote(Section& section, RemoteOptions& out) {
  load_servers(section, "servers", out.servers);
  load_servers(section, "read_servers", out.read_servers);
  load_servers(section, "write_servers", out.write_servers);
  load_key(section, "encryption_key", out.encryption_key);
  load_key(section, "read_encryption_key", out.read_encryption_key);
  load_key(section, "write_encryption_key", out.write_encryption_key);
  section.duration<milliseconds>("timeout", out.timeout, {milliseconds(10), minutes(1)});
  section.number<std::uint32_t>("retransmits", out.retransmits, {0, 10});
  section.number<std::uint32_t>("errors_max", out.errors_max, {1, 1'000'000});
  section.duration<milliseconds>("revive_time", out.revive_time, {milliseconds(100), hours(24)});
  section.duration<seconds>("resolve_interval", out.resolve_interval, {seconds(10), hours(168)});
  section.choice<TcpUse>("tcp", out.tcp, kTcpUses);
  section.real("tcp_threshold", out.tcp_threshold, {0, std::numeric_limits<double>::max()});
  section.duration<milliseconds>("tcp_retry_delay", out.tcp_retry_delay,
                                 {milliseconds(100), hours(24)});
  section.choice<std::uint8_t>("protocol", out.protocol, kProtocols);
}

}  // namespace shingled::config
