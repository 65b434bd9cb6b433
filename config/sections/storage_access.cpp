#include <algorithm>
#include <utility>

#include "config/sections/sections.h"

namespace shingled::config {

namespace {

using std::chrono::hours;
using std::chrono::seconds;

void load_limits(Section& section, RateLimitOptions& out, std::vector<std::string>& files) {
  section.real("ratelimit_rate", out.rate, {0, 1e6});
  section.real("ratelimit_burst", out.burst, {0, 1e9});
  section.number<std::uint32_t>("ratelimit_network_mask", out.network_mask, {1, 32});
  section.number<std::uint32_t>("ratelimit_max_buckets", out.max_buckets, {8, 1'000'000});
  section.duration<seconds>("ratelimit_bucket_ttl", out.bucket_ttl, {seconds(1), hours(24 * 36500)},
                            "no ban");
  load_networks(section, "ratelimit_whitelist", out.whitelist, files);
  section.boolean("ratelimit_encrypted", out.encrypted);
  section.real("ratelimit_sealed_rate", out.sealed.rate, {0, 1e6});
  section.real("ratelimit_sealed_burst", out.sealed.burst, {0, 1e9});
  section.boolean("ratelimit_log_only", out.log_only);
  for (const auto& [key, burst] : {std::pair{"ratelimit_burst", out.burst},
                                   std::pair{"ratelimit_sealed_burst", out.sealed.burst}}) {
    if (burst > 0 && burst < 1)
      section.problem(key, "no request would pass; allowed: 0 (off) or 1 to 1e9");
  }
}

/// Whether a key has the right to change something.
bool gives_rights(const Keypair& keypair) {
  return keypair.rights.may_write || keypair.rights.may_delete;
}

void load_updaters(Section& section, ServerOptions& out) {
  load_key_ids(section, "allow_update_keys", out.allow_update_keys, out.files.allow_update_keys);
  const bool given = section.has("allow_update");
  load_networks(section, "allow_update", out.allow_update, out.files.allow_update);
  // Addresses win over keys. If keys have rights and no address is given, the keys are meant.
  const bool keys = !out.allow_update_keys.empty() || !out.files.allow_update_keys.empty() ||
                    std::any_of(out.keypair.begin(), out.keypair.end(), gives_rights);
  if (keys && !given) out.allow_update.clear();
}

/// Problems do not quote the text, which may be a key that belongs into the file.
void load_key_file(const Field& field, std::string& out) {
  constexpr std::string_view kAllowed = "the absolute path of a file with a list of key pairs";
  const auto text = field.scalar(kAllowed);
  if (!text || text->empty()) return;
  std::vector<std::string> files;
  if (take_file(field, *text, files)) {
    if (!files.empty()) out = files.front();
  } else {
    field.problem("is not an absolute path", kAllowed);
  }
}

void load_keys(Section& section, ServerOptions& out) {
  const auto keypair = section.field("keypair");
  if (keypair) load_keypairs(*keypair, out.keypair, &out.files.keypair);
  if (const auto field = section.field("dynamic_keys_map"))
    load_key_file(*field, out.files.dynamic_keys_map);
  section.number<std::uint32_t>("keypair_cache_size", out.keypair_cache_size, {0, 1'000'000});
  section.real("key_agreement_rate", out.agreements.thread.rate, {1, 1e6});
  section.real("key_agreement_burst", out.agreements.thread.burst, {1, 1e9});
  section.real("key_agreement_source_rate", out.agreements.source.rate, {1, 1e6});
  section.real("key_agreement_source_burst", out.agreements.source.burst, {1, 1e9});
  section.boolean("encrypted_only", out.encrypted_only);
  // A key that is given but not valid has its problem already.
  const bool none = !keypair || keypair->is_null() || keypair->list().empty();
  if (out.encrypted_only && none && out.files.dynamic_keys_map.empty()) {
    section.problem("encrypted_only",
                    "no client could be served without a key; allowed: with a "
                    "keypair (see `shingled keypair`)");
  }
}

}  // namespace

void load_access(Section& section, ServerOptions& out) {
  load_keys(section, out);
  load_updaters(section, out);
  load_networks(section, "trusted", out.trusted, out.files.trusted);
  load_networks(section, "blocked", out.blocked, out.files.blocked);
  section.boolean("read_only", out.read_only);
  load_digests(section, "skip_hashes", out.skip_hashes, out.files.skip_hashes);
  if (const auto field = section.field("forbidden_ids")) load_flags(*field, out.forbidden_ids);
  if (const auto field = section.field("weak_ids")) load_flags(*field, out.weak_ids);
  section.duration<seconds>("delay", out.delay, {seconds(1), hours(24 * 365)}, "at once");
  load_networks(section, "delay_whitelist", out.delay_whitelist, out.files.delay_whitelist);
  load_limits(section, out.ratelimit, out.files.ratelimit_whitelist);
}

}  // namespace shingled::config
