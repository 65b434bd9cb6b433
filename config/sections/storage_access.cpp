#include <algorithm>
#include <type_traits>
#include <utility>

#include "config/keys/forms.h"
#include "config/sections/sections.h"

namespace shingled::config {

namespace {

using KeyId = std::array<std::uint8_t, 64>;

/// A list whose entries may be in files.
template <typename Entry>
struct Listed : AnyForm {
  std::string_view word;
  void (*load)(Section&, std::string_view, std::vector<Entry>&, std::vector<std::string>&);
  std::vector<Entry> ServerOptions::*entries;
  std::vector<std::string> ListFiles::*files;

  [[nodiscard]] std::string type() const { return std::string(word); }
  void read(Section& section, std::string_view key, ServerOptions& out) const {
    load(section, key, out.*entries, out.files.*files);
  }
  [[nodiscard]] std::string write(const ServerOptions& server) const {
    if constexpr (std::is_same_v<Entry, Network>) {
      return flow_networks(server.*entries);
    } else {
      return "[]";
    }
  }
};

Listed<Network> networks(std::vector<Network> ServerOptions::*entries,
                         std::vector<std::string> ListFiles::*files) {
  return {{}, "list of networks with files", load_networks, entries, files};
}

/// Lists of hashes by their numbers.
struct FlagNumbers : AnyForm {
  static std::string type() { return "list of numbers"; }
  static void read(Section& section, std::string_view key, std::vector<std::uint8_t>& out) {
    if (const auto field = section.field(key)) load_flags(*field, out);
  }
  static std::string write(const std::vector<std::uint8_t>& flags) {
    std::vector<std::string> words;
    for (const std::uint8_t flag : flags) words.push_back(std::to_string(flag));
    return flow_list(words);
  }
};

/// Whether a key has the right to change something.
bool gives_rights(const Keypair& keypair) {
  return keypair.rights.may_write || keypair.rights.may_delete;
}

/// Problems do not quote the text, which may be a key that belongs into the file.
void load_key_file(Section& section, std::string_view key, std::string& out) {
  constexpr std::string_view kAllowed = "the absolute path of a file with a list of key pairs";
  const auto field = section.field(key);
  const auto text = field ? field->scalar(kAllowed) : std::nullopt;
  if (!text || text->empty()) return;
  std::vector<std::string> files;
  if (take_file(*field, *text, files)) {
    if (!files.empty()) out = files.front();
  } else {
    field->problem("is not an absolute path", kAllowed);
  }
}

void load_server_keys(Section& section, std::string_view key, ServerOptions& out) {
  if (const auto field = section.field(key)) load_keypairs(*field, out.keypair, &out.files.keypair);
}

Keys<Settings> agreement_keys(const Place<Settings, AgreementOptions>& place) {
  const auto thread = place(&AgreementOptions::thread);
  const auto source = place(&AgreementOptions::source);
  return {
      constant("key_agreement_rate", thread(&RateOptions::rate), Real::write),
      constant("key_agreement_burst", thread(&RateOptions::burst), Real::write),
      constant("key_agreement_source_rate", source(&RateOptions::rate), Real::write),
      constant("key_agreement_source_burst", source(&RateOptions::burst), Real::write),
  };
}

Keys<Settings> limit_keys(const Place<Settings, ServerOptions>& server) {
  const auto place = server(&ServerOptions::ratelimit);
  const auto sealed = place(&RateLimitOptions::sealed);
  return {
      key("ratelimit_rate", place(&RateLimitOptions::rate), Real{0, 1e6},
          "requests per second, 0 to 1000000; 0 = unlimited. 500 = a mail server with 5 million "
          "messages a day"),
      key("ratelimit_burst", place(&RateLimitOptions::burst), Real{0, 1e9},
          "at once, 1 to 1e9; 0 = unlimited"),
      key("ratelimit_network_mask", place(&RateLimitOptions::network_mask), Number{1, 32},
          "bits of an IPv4 network, {}; an IPv6 network always has 64"),
      key("ratelimit_bucket_ttl", place(&RateLimitOptions::bucket_ttl),
          Time{1s, 24h * 36500, "no ban"},
          "a network over the limit is banned for this long, {}; 0 = until its bucket has drained"),
      key("ratelimit_encrypted", place(&RateLimitOptions::encrypted), Switch{},
          "yes = count encrypted requests, too"),
      key("ratelimit_sealed_rate", sealed(&RateOptions::rate), Real{0, 1e6},
          "encrypted requests per second over UDP that are not counted above, 0 to 1000000; 0 = "
          "unlimited"),
      key("ratelimit_sealed_burst", sealed(&RateOptions::burst), Real{0, 1e9},
          "at once, 1 to 1e9; 0 = unlimited"),
      key("ratelimit_max_buckets", place(&RateLimitOptions::max_buckets), Number{8, 1'000'000},
          "networks that are remembered, {}; those with the fewest requests are forgotten first"),
      key("ratelimit_whitelist", server,
          Typed<ServerOptions>{"list of networks with files",
                               [](Section& section, std::string_view key, ServerOptions& out) {
                                 load_networks(section, key, out.ratelimit.whitelist,
                                               out.files.ratelimit_whitelist);
                               },
                               [](const ServerOptions& options) {
                                 return flow_networks(options.ratelimit.whitelist);
                               }},
          "clients that are never limited"),
      key("ratelimit_log_only", place(&RateLimitOptions::log_only), Switch{},
          "yes = only log which requests would be dropped"),
  };
}

void check_limits(const Section& section, const RateLimitOptions& limits) {
  for (const auto& [key, burst] : {std::pair{"ratelimit_burst", limits.burst},
                                   std::pair{"ratelimit_sealed_burst", limits.sealed.burst}}) {
    if (burst > 0 && burst < 1)
      section.problem(key, "no request would pass; allowed: 0 (off) or 1 to 1e9");
  }
}

/// What clients may do, by their addresses and keys.
Keys<Settings> rights_keys(const Place<Settings, ServerOptions>& server) {
  return {
      key("allow_update", server, networks(&ServerOptions::allow_update, &ListFiles::allow_update),
          "addresses that may add and delete; if there are any, they alone decide, and rights of "
          "keys do not count. The default is [] if keys have rights"),
      key("allow_update_keys", server,
          Listed<KeyId>{{},
                        "list of IDs with files",
                        load_key_ids,
                        &ServerOptions::allow_update_keys,
                        &ListFiles::allow_update_keys},
          "IDs (64 bytes) of our keys; everybody who uses one may add and delete"),
      key("trusted", server, networks(&ServerOptions::trusted, &ListFiles::trusted),
          "clients that get the long replies without encryption"),
      key("blocked", server, networks(&ServerOptions::blocked, &ListFiles::blocked),
          "clients that get no answer at all"),
      key("keypair", server,
          Typed<ServerOptions>{"key pairs with files", load_server_keys,
                               [](const ServerOptions& /*server*/) { return std::string("[]"); }}),
      key("dynamic_keys_map", server(&ServerOptions::files)(&ListFiles::dynamic_keys_map),
          Typed<std::string>{"path", load_key_file,
                             [](const std::string& file) { return flow_scalar(file); }},
          "path of a file with more keys, a list in YAML or JSON; \"\" = none"),
      key("keypair_cache_size", server(&ServerOptions::keypair_cache_size), Number{0, 1'000'000},
          "shared keys that each thread keeps for recent clients, about 250 bytes each, {}; 0 = "
          "none. Keys in use stay, however many other keys arrive"),
  };
}

/// Which hashes are shown, and to whom.
Keys<Settings> shown_keys(const Place<Settings, ServerOptions>& server) {
  return {
      key("encrypted_only", server(&ServerOptions::encrypted_only), Switch{},
          "yes = refuse requests that are not encrypted; needs a keypair"),
      key("read_only", server(&ServerOptions::read_only), Switch{},
          "yes = nobody may add or delete over the network"),
      key("skip_hashes", server,
          Listed<KeyId>{{},
                        "list of digests with files",
                        load_digests,
                        &ServerOptions::skip_hashes,
                        &ListFiles::skip_hashes},
          "digests (128 hex digits) that are never added and are answered with status 401"),
      key("forbidden_ids", server(&ServerOptions::forbidden_ids), FlagNumbers{},
          "flags whose hits are not shown to anybody, 0 to 255"),
      key("weak_ids", server(&ServerOptions::weak_ids), FlagNumbers{},
          "flags that never replace another flag of a hash that already has eight, 0 to 255"),
      key("delay", server(&ServerOptions::delay), Time{1s, 24h * 365, "at once"},
          "a new hash is hidden until it has this age, plus up to half as much, {}; 0 = no delay"),
      key("delay_whitelist", server,
          networks(&ServerOptions::delay_whitelist, &ListFiles::delay_whitelist),
          "clients that see new hashes at once"),
  };
}

}  // namespace

Keys<Settings> access_keys() {
  const auto server = at_reload(&Settings::storage)(&StorageOptions::server);
  return joined<Settings>({rights_keys(server), agreement_keys(server(&ServerOptions::agreements)),
                           shown_keys(server), limit_keys(server)});
}

void check_access(Section& section, ServerOptions& options) {
  if (options.encrypted_only && !section.gives("keypair") &&
      options.files.dynamic_keys_map.empty()) {
    section.problem("encrypted_only",
                    "no client could be served without a key; allowed: with a "
                    "keypair (see `shingled keypair`)");
  }
  // Addresses win over keys. If keys have rights and no address is given, the keys are meant.
  const bool keys = !options.allow_update_keys.empty() ||
                    !options.files.allow_update_keys.empty() ||
                    std::any_of(options.keypair.begin(), options.keypair.end(), gives_rights);
  if (keys && !section.has("allow_update")) options.allow_update.clear();
  check_limits(section, options.ratelimit);
}

}  // namespace shingled::config
