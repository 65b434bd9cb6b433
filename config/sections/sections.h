#pragma once

#include <vector>

#include "config/document/section.h"
#include "config/options/settings.h"

namespace shingled::config {

// One function per section of the file: reads every key of the section and checks what the section
// can check alone. `out` holds the defaults before and keeps them where a key is absent or wrong.

void load_daemon(Section&& section, DaemonOptions& out);
void load_milter(Section&& section, MilterOptions& out);
void load_mime(Section&& section, MimeOptions& out);
void load_ratelimit(Section&& section, MailLimitOptions& out);
/// `ratelimit.rates`: one type of buckets each.
void load_bucket_types(Section&& section, std::vector<BucketType>& out);
void load_redis(Section&& section, RedisOptions& out);
/// How to talk to a Redis, without the servers and what only the storage needs.
void load_redis_access(Section& section, RedisOptions& out);
/// Redis servers, or [] for none.
void load_redis_servers(Section& section, std::string_view key, std::vector<SocketSpec>& out);
/// Reads `symbol`: a name for headers and logs; `empty` says what "" means where it is allowed.
void load_symbol(Section& section, std::string& out, std::string_view empty = {});
void load_similar(Section&& section, SimilarOptions& out);
void load_storage(Section&& section, StorageOptions& out);
/// The keys of section `storage` about replication.
void load_replication(Section& section, ReplicationOptions& out);
void load_status(Section&& section, StatusOptions& out);
/// The rules given, but those that are off. Where `local` is not among them it is the first one, as
/// it is by default, if there is an embedded storage or no other rule.
void load_rules(Section& root, bool embedded_storage, std::vector<RuleOptions>& out);

/// The part of a rule about its servers.
void load_remote(Section& section, RemoteOptions& out);

/// The part of `storage` that says who may do what on the fuzzy port, and how often.
void load_access(Section& section, ServerOptions& out);
/// Where a foreign key stands.
enum class ForeignTo : std::uint8_t { kFile, kMilter, kStorage, kRule, kFlag };
/// Keys that other programs of this protocol have there and we do not, each with the reason and
/// what we call it.
void refuse_foreign_keys(Section& section, ForeignTo place);

/// The value of `storage.keypair`: one map or a list of maps. Absolute paths in it go to `files`,
/// unless it is null. No problem shows a text that may be a key.
void load_keypairs(const Field& field, std::vector<Keypair>& out, std::vector<std::string>* files);
/// The `extensions` of a key pair.
void load_key_rights(Section&& section, KeyRights& out);
/// One flag or some.
void load_flags(const Field& field, std::vector<std::uint8_t>& out);

/// 32 bytes of a key in z-base-32, or a problem of `field` that does not show the text.
std::optional<std::array<std::uint8_t, 32>> read_key(const Field& field);

/// The port of the fuzzy protocol.
constexpr std::uint16_t kFuzzyPort = 11335;
/// Where a mirror listens to its masters.
constexpr std::uint16_t kReplicationPort = 11336;

}  // namespace shingled::config
