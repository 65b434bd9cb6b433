#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {

constexpr std::string_view kMirrorForm = "a map with hosts and key, or a list of such maps";

void load_mirror(const Field& item, std::vector<MirrorOptions>& out) {
  if (item.node().kind != YamlNode::Kind::kMap) {
    return item.problem("is not a mirror", kMirrorForm);
  }
  Section section(&item.node(), item.key(), item.diagnostics());
  MirrorOptions mirror;
  section.text("name", mirror.name);
  const auto key = section.field("key");
  if (!key) item.problem("has no key", "the public key of the mirror's sync_keypair");
  const auto bytes = key ? read_key(*key) : std::nullopt;
  if (bytes) mirror.key = *bytes;
  std::vector<SocketSpec> hosts;
  section.sockets("hosts", hosts, kReplicationPort);
  if (hosts.empty()) item.problem("has no hosts", "HOST:PORT, or a list of them");
  for (const SocketSpec& host : hosts) {
    out.push_back({mirror.name.empty() ? host.to_string() : mirror.name, host, mirror.key});
  }
}

using MasterKeys = std::vector<std::array<std::uint8_t, 32>>;

void load_master_keys(Section& section, std::string_view key, MasterKeys& out) {
  const auto field = section.field(key);
  if (!field) return;
  out.clear();
  if (field->is_null()) return;
  for (const Field& item : field->list()) {
    if (const auto read = read_key(item)) out.push_back(*read);
  }
}

void load_sync_keypair(Section& section, std::string_view key, std::vector<Keypair>& out) {
  const auto field = section.field(key);
  if (field) load_keypairs(*field, out, nullptr);
  if (out.size() > 1) section.problem(key, "is more than one pair; allowed: one map");
}

void load_mirrors(Section& section, std::string_view key, std::vector<MirrorOptions>& out) {
  const auto field = section.field(key, {"slave"});
  if (!field || field->is_null()) return;
  for (const Field& item : field->list()) load_mirror(item, out);
}

template <typename Secret>
std::string not_written(const Secret& /*secret*/) {
  return "[]";
}

const Typed<std::vector<SocketSpec>> kListen = {
    "list of sockets",
    [](Section& section, std::string_view key, std::vector<SocketSpec>& out) {
      section.sockets(key, out, kReplicationPort);
    },
    [](const std::vector<SocketSpec>& sockets) {
      // One is written without brackets, as people do.
      const std::string all = flow_sockets(sockets);
      return sockets.size() == 1 ? all.substr(1, all.size() - 2) : all;
    }};

}  // namespace

Keys<Settings> replication_keys() {
  const auto place = at_start(&Settings::storage)(&StorageOptions::replication);
  return {
      key("masters", place(&ReplicationOptions::masters), Networks{},
          "mirror: networks of the masters that may push to us; [] = nobody may, and we do not "
          "listen"),
      key("master_key", place(&ReplicationOptions::master_key),
          Typed<MasterKeys>{"list of keys", load_master_keys, not_written},
          "mirror: public keys of the masters, z-base-32, one or a list"),
      key("master_timeout", place(&ReplicationOptions::master_timeout), Time{1s, 1h},
          "both: a connection that was silent for this long is closed, {}"),
      key("replication_listen", place(&ReplicationOptions::listen), kListen,
          "mirror: addresses that masters connect to"),
      key("sync_keypair", place(&ReplicationOptions::sync_keypair),
          Typed<std::vector<Keypair>>{"key pair", load_sync_keypair, not_written},
          "both: our own key pair, as in keypair"),
      key("mirror", place(&ReplicationOptions::mirrors),
          Typed<std::vector<MirrorOptions>>{"map or list of maps", load_mirrors, not_written},
          "master: {name: ..., hosts: HOST:PORT, key: public key}, or a list; other spelling: "
          "slave"),
      key("journal_max", place(&ReplicationOptions::journal_max), Number{1000, 1'000'000'000},
          "master: changes that are kept for mirrors, {}, about 100 bytes each; a mirror that has "
          "missed more is compared as a whole"),
  };
}

void check_replication(Section& section, Settings& settings) {
  const ReplicationOptions& replication = settings.storage.replication;
  const bool keyless = !section.gives("sync_keypair");
  if (!replication.masters.empty() && !section.gives("master_key")) {
    section.problem("masters", "nobody could push to us; allowed: with a master_key");
  }
  if (!replication.masters.empty() && keyless) {
    section.problem("masters", "no master could know us; allowed: with a sync_keypair");
  }
  if ((section.gives("mirror") || section.gives("slave")) && keyless) {
    section.problem("mirror", "no mirror could know us; allowed: with a sync_keypair");
  }
}

}  // namespace shingled::config
