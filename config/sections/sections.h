#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document/section.h"
#include "config/keys/forms.h"
#include "config/keys/key_table.h"
#include "config/options/settings.h"

namespace shingled::config {

// One table per section of the file, in the order of the shipped file. What needs no other section
// is checked when the section has been read. The settings hold the defaults before, and keep them
// for keys that are missing or invalid.

Key<Settings> client_section();
Key<Settings> counters_section();
Key<Settings> daemon_section();
Key<Settings> history_section();
Key<Settings> http_section();
Key<Settings> milter_section();
Key<Settings> mime_section();
Key<Settings> model_section();
/// Rules of `policy.files` are read, too. A rule that comes again changes the keys that it gives.
Key<Settings> policy_section();
Key<Settings> ratelimit_section();
Key<Settings> reports_section();
Key<Settings> similar_section();
/// The name of section `http` in earlier versions: it still works, with a warning.
Key<Settings> status_section();
Key<Settings> storage_section();
/// The rules that are given and not off. If `local` is not given, the default rule `local` comes
/// first, if there is an embedded storage or no other rule. Reads after `storage`.
Key<Settings> rules_section();

// Parts of sections.

/// `unpacked_help`: what differs.
Keys<Settings> container_keys(const Place<Settings, ContainerOptions>& place,
                              std::string_view unpacked_help);
Keys<Settings> replication_keys();
/// Checks them after all keys of `storage`.
void check_replication(Section& section, Settings& settings);
/// `storage.redis`.
Key<Settings> redis_section();
/// How to talk to Redis; without the servers and the keys that only some sections have.
/// `prefix_help`, `timeout_help`: what differs.
Keys<Settings> redis_access_keys(const Place<Settings, RedisOptions>& place,
                                 std::string_view prefix_help, std::string_view timeout_help);
void check_redis_access(const Section& section, const RedisOptions& options);
/// The keys of `storage` that say who may do what on the fuzzy port, and how often.
Keys<Settings> access_keys();
void check_access(Section& section, ServerOptions& options);
/// The keys of a rule about its servers.
Keys<RuleOptions> remote_keys();

/// `ratelimit.rates`: each entry is a type of buckets.
void load_bucket_types(Section&& section, std::vector<BucketType>& out);
/// A list of Redis servers, or [] for none.
void load_redis_servers(Section& section, std::string_view key, std::vector<SocketSpec>& out);
struct RedisServers : AnyForm {
  static std::string type() { return "list of sockets"; }
  static void read(Section& section, std::string_view key, std::vector<SocketSpec>& out) {
    load_redis_servers(section, key, out);
  }
  static std::string write(const std::vector<SocketSpec>& value) { return flow_sockets(value); }
};
/// A name for headers and logs; `empty` says what "" means if it is allowed.
void load_symbol(Section& section, std::string_view key, std::string& out,
                 std::string_view empty = {});
/// The section that has a foreign key.
enum class ForeignTo : std::uint8_t { kFile, kCounters, kMilter, kStorage, kRule, kFlag };
/// Refuses keys that only other programs of this protocol have, each with the reason and our name
/// for it.
void refuse_foreign_keys(Section& section, ForeignTo place);

/// Whether a word of a list names a file instead of an entry. A URL is a problem: lists are not
/// fetched.
bool take_file(const Field& item, std::string_view word, std::vector<std::string>& files);

// A list of entries. The absolute paths of files of entries go to `files`. A list that is given
// replaces the entries in `out`.
void load_networks(Section& section, std::string_view key, std::vector<Network>& out,
                   std::vector<std::string>& files);
void load_recipients(Section& section, std::string_view key, std::vector<std::string>& out,
                     std::vector<std::string>& files);
/// Problems of these two do not quote the text, which may be a private key by mistake.
void load_key_ids(Section& section, std::string_view key,
                  std::vector<std::array<std::uint8_t, 64>>& out, std::vector<std::string>& files);
void load_digests(Section& section, std::string_view key,
                  std::vector<std::array<std::uint8_t, 64>>& out, std::vector<std::string>& files);

/// The value of `storage.keypair`: one map or a list of maps. Absolute paths go to `files`,
/// unless it is null. Problems never show a text that may be a key.
void load_keypairs(const Field& field, std::vector<Keypair>& out, std::vector<std::string>* files);
/// The `extensions` of a key pair.
void load_key_rights(Section&& section, KeyRights& out);
/// One flag or several.
void load_flags(const Field& field, std::vector<std::uint8_t>& out);

/// A key, 32 bytes in z-base-32; nullopt and a problem of `field` that does not show the text.
std::optional<std::array<std::uint8_t, 32>> read_key(const Field& field);

/// The port of the fuzzy protocol.
constexpr std::uint16_t kFuzzyPort = 11335;
/// Where a mirror listens to its masters.
constexpr std::uint16_t kReplicationPort = 11336;

}  // namespace shingled::config
