#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document/section.h"
#include "config/options/settings.h"

namespace shingled::config {

// One function per section of the file. It reads every key of the section and checks all that needs
// no other section. `out` holds the defaults, and keeps them for keys that are missing or invalid.

void load_counters(Section&& section, CounterOptions& out);
void load_daemon(Section&& section, DaemonOptions& out);
void load_history(Section&& section, HistoryOptions& out);
void load_milter(Section&& section, MilterOptions& out);
void load_mime(Section&& section, MimeOptions& out);
/// Rules of `policy.files` are read, too. A rule that comes again changes the keys that it gives.
void load_policy(Section&& section, PolicyOptions& out);
void load_ratelimit(Section&& section, MailLimitOptions& out);
/// `ratelimit.rates`: each entry is a type of buckets.
void load_bucket_types(Section&& section, std::vector<BucketType>& out);
void load_reports(Section&& section, ReportOptions& out);
void load_redis(Section&& section, RedisOptions& out);
/// How to talk to Redis; without the servers and the keys that only some sections have. `cluster`
/// must have been read.
void load_redis_access(Section& section, RedisOptions& out);
/// Redis servers, or [] for none.
void load_redis_servers(Section& section, std::string_view key, std::vector<SocketSpec>& out);
/// Reads `symbol`: a name for headers and logs; `empty` says what "" means if it is allowed.
void load_symbol(Section& section, std::string& out, std::string_view empty = {});
void load_similar(Section&& section, SimilarOptions& out);
void load_containers(Section&& section, ContainerOptions& out);
void load_storage(Section&& section, StorageOptions& out);
/// The keys of section `storage` about replication.
void load_replication(Section& section, ReplicationOptions& out);
void load_status(Section&& section, StatusOptions& out);
/// TCP and unix sockets of an HTTP service; "" or [] for none.
void load_http_sockets(Section& section, std::string_view key, std::uint16_t default_port,
                       std::vector<SocketSpec>& out);
/// The rules that are given and not off. If `local` is not given, the default rule `local` comes
/// first, if there is an embedded storage or no other rule.
void load_rules(Section& root, bool embedded_storage, std::vector<RuleOptions>& out);

/// The keys of a rule about its servers.
void load_remote(Section& section, RemoteOptions& out);

/// The keys of `storage` that say who may do what on the fuzzy port, and how often.
void load_access(Section& section, ServerOptions& out);
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
