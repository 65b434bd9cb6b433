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

void load_master_keys(const Field& field, ReplicationOptions& out) {
  out.master_key.clear();
  if (field.is_null()) return;
  for (const Field& item : field.list()) {
    if (const auto key = read_key(item)) out.master_key.push_back(*key);
  }
}

bool is_given(const std::optional<Field>& field) {
  return field && !field->is_null() && !field->list().empty();
}

}  // namespace

void load_replication(Section& section, ReplicationOptions& out) {
  section.networks("masters", out.masters);
  const auto master_key = section.field("master_key");
  if (master_key) load_master_keys(*master_key, out);
  section.duration<std::chrono::seconds>("master_timeout", out.master_timeout,
                                         {std::chrono::seconds(1), std::chrono::hours(1)});
  section.sockets("replication_listen", out.listen, kReplicationPort);
  const auto keypair = section.field("sync_keypair");
  if (keypair) load_keypairs(*keypair, out.sync_keypair, nullptr);
  if (out.sync_keypair.size() > 1) {
    section.problem("sync_keypair", "is more than one pair; allowed: one map");
  }
  const auto mirrors = section.field("mirror", {"slave"});
  if (mirrors && !mirrors->is_null()) {
    for (const Field& item : mirrors->list()) load_mirror(item, out.mirrors);
  }
  section.number<std::uint32_t>("journal_max", out.journal_max, {1000, 1'000'000'000});
  // A key that is given but not valid has its problem already.
  const bool keyless = !is_given(keypair);
  if (!out.masters.empty() && !is_given(master_key)) {
    section.problem("masters", "nobody could push to us; allowed: with a master_key");
  }
  if (!out.masters.empty() && keyless) {
    section.problem("masters", "no master could know us; allowed: with a sync_keypair");
  }
  if (is_given(mirrors) && keyless) {
    section.problem("mirror", "no mirror could know us; allowed: with a sync_keypair");
  }
}

}  // namespace shingled::config
