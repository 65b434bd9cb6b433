#include "milter/desk/servers/server_choice.h"

#include <algorithm>
#include <array>
#include <optional>

#include "config/base/hex.h"
#include "config/base/zbase32.h"
#include "config/system/connect_socket.h"

namespace shingled::milter::desk {

namespace {

constexpr std::uint16_t kFuzzyPort = 11335;
// Our own daemon counts a repeated request once and answers after its commit, so a command can wait
// for a busy disk: 1 + 4 transmissions, five seconds.
constexpr std::uint32_t kLocalRetransmits = 4;

using PublicKey = std::array<std::uint8_t, 32>;

Result<PublicKey> parse_key(const std::string& text) {
  auto bytes = from_zbase32(text);
  if (!bytes || bytes->size() != PublicKey{}.size()) bytes = from_hex(text);
  if (!bytes || bytes->size() != PublicKey{}.size()) {
    return Error{ErrorCode::kInvalid,
                 "--key: a public key has 52 characters of z-base-32 or 64 of hexadecimal"};
  }
  PublicKey key{};
  std::copy(bytes->begin(), bytes->end(), key.begin());
  return key;
}

/// The default rule. Null: there is none.
const RuleOptions* default_rule(const Settings& settings) {
  const auto& rules = settings.rules;
  const std::string& local = RuleOptions{}.name;
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const RuleOptions& rule) { return rule.name == local; });
  if (found != rules.end()) return &*found;
  return rules.empty() ? nullptr : &rules.front();
}

/// The keys of a rule are those of its servers, not of --server.
void forget_servers(RemoteOptions& remote) {
  remote.servers = remote.read_servers = remote.write_servers = {};
  remote.encryption_key.reset();
  remote.read_encryption_key.reset();
  remote.write_encryption_key.reset();
}

Result<Destination> destination_of(const RuleOptions& rule, const ServerArguments& arguments,
                                   const Settings& settings) {
  Destination chosen{&rule, rule.remote, false};
  if (!arguments.servers.empty()) {
    forget_servers(chosen.remote);
    for (const std::string& text : arguments.servers) {
      auto server = ServerSpec::parse(text, kFuzzyPort);
      if (!server) return server.error().in("--server " + text);
      if (server->socket.kind == SocketSpec::Kind::kUnix) {
        return Error{ErrorCode::kInvalid, "--server " + text + ": must be HOST:PORT"};
      }
      chosen.remote.servers.servers.push_back(std::move(*server));
    }
  } else if (!chosen.remote.is_remote()) {
    auto local = local_service(settings.storage);
    if (!local) return local.error().in("rule " + rule.name);
    chosen.remote = std::move(*local);
    chosen.local = true;
  }
  if (!arguments.key.empty()) {
    auto key = parse_key(arguments.key);
    if (!key) return key.error();
    chosen.remote.encryption_key = *key;
    chosen.remote.read_encryption_key.reset();
    chosen.remote.write_encryption_key.reset();
  }
  if (!arguments.tcp.empty()) {
    chosen.remote.tcp = arguments.tcp == "no"    ? TcpUse::kNo
                        : arguments.tcp == "yes" ? TcpUse::kYes
                                                 : TcpUse::kAuto;
  }
  // std::stoul also reads 0x; the check of the option accepts nothing else.
  if (!arguments.protocol.empty())
    chosen.remote.protocol = static_cast<std::uint8_t>(std::stoul(arguments.protocol, nullptr, 0));
  return chosen;
}

}  // namespace

HashOptions hash_options(const Destination& destination) {
  HashOptions hash = destination.rule->hash;
  if (!destination.local && !destination.rule->remote.is_remote()) hash.robust = false;
  return hash;
}

Result<const RuleOptions*> find_rule(const Settings& settings, const std::string& name) {
  if (settings.rules.empty()) return Error{ErrorCode::kInvalid, "the configuration has no rules"};
  if (name.empty()) return default_rule(settings);
  std::string known;
  for (const RuleOptions& rule : settings.rules) {
    if (rule.name == name) return &rule;
    known += (known.empty() ? "" : ", ") + rule.name;
  }
  return Error{ErrorCode::kInvalid, "no rule " + name + "; there are: " + known};
}

Result<std::vector<Destination>> choose_destinations(const ServerArguments& arguments,
                                                     const Settings& settings) {
  std::vector<Destination> chosen;
  const bool every_rule = arguments.rule.empty() && arguments.servers.empty();
  if (!every_rule || settings.rules.empty()) {
    const auto rule = find_rule(settings, arguments.rule);
    if (!rule) return rule.error();
    auto destination = destination_of(**rule, arguments, settings);
    if (!destination) return destination.error();
    chosen.push_back(std::move(*destination));
    return chosen;
  }
  for (const RuleOptions& rule : settings.rules) {
    auto destination = destination_of(rule, arguments, settings);
    if (!destination) return destination.error();
    chosen.push_back(std::move(*destination));
  }
  return chosen;
}

Result<Destination> choose_destination(const ServerArguments& arguments, const Settings& settings) {
  const auto named = find_rule(settings, arguments.rule);
  if (!named) return named.error();
  const RuleOptions* rule = *named;
  if (!arguments.servers.empty()) return destination_of(*rule, arguments, settings);
  if (arguments.rule.empty() && rule->name != RuleOptions{}.name) {
    const auto first = [&](auto wanted) {
      const auto found = std::find_if(settings.rules.begin(), settings.rules.end(), wanted);
      return found == settings.rules.end() ? nullptr : &*found;
    };
    const RuleOptions* here =
        first([](const RuleOptions& r) { return !r.read_only && !r.remote.is_remote(); });
    const RuleOptions* any = first([](const RuleOptions& r) { return !r.read_only; });
    if (any == nullptr) {
      return Error{ErrorCode::kInvalid, "every rule of the configuration is read-only"};
    }
    rule = here != nullptr ? here : any;
  }
  if (rule->read_only) {
    return Error{ErrorCode::kInvalid,
                 "rule " + rule->name + " is read-only" +
                     (arguments.rule.empty() ? "; --rule selects another one" : "")};
  }
  return destination_of(*rule, arguments, settings);
}

Result<RemoteOptions> local_service(const StorageOptions& storage) {
  const auto& listen = storage.server.listen;
  const auto usable = std::find_if(listen.begin(), listen.end(), [](const SocketSpec& spec) {
    return spec.kind != SocketSpec::Kind::kUnix && spec.port != 0;
  });
  if (!storage.enabled || usable == listen.end()) {
    return Error{ErrorCode::kUnavailable,
                 "storage.listen names no address of a local daemon; name a server with --server"};
  }
  RemoteOptions remote;
  remote.servers.servers = {{spec_to_connect(*usable), {}, 1}};
  remote.retransmits = kLocalRetransmits;
  if (storage.server.encrypted_only && !storage.server.keypair.empty()) {
    remote.encryption_key = storage.server.keypair.back().public_key;
  }
  return remote;
}

}  // namespace shingled::milter::desk
