#pragma once

#include <vector>

#include "config/options/settings.h"
#include "config/section.h"

namespace shingled::config {

// One function per section of the file: reads every key of the section and checks what the section
// can check alone. `out` holds the defaults before and keeps them where a key is absent or wrong.

void load_daemon(Section&& section, DaemonOptions& out);
void load_milter(Section&& section, MilterOptions& out);
void load_mime(Section&& section, MimeOptions& out);
void load_redis(Section&& section, RedisOptions& out);
void load_storage(Section&& section, StorageOptions& out);
/// The rules given, or the default ones where there is no `rules`.
void load_rules(Section& root, std::vector<RuleOptions>& out);

/// The part of a rule about its servers.
void load_remote(Section& section, RemoteOptions& out);

/// The value of `storage.keypair`: one map or a list of maps.
void load_keypairs(const Field& field, std::vector<Keypair>& out);

/// 32 bytes of a key in z-base-32, or a problem of `field` that does not show the text.
std::optional<std::array<std::uint8_t, 32>> read_key(const Field& field);

/// The port of the fuzzy protocol.
constexpr std::uint16_t kFuzzyPort = 11335;

}  // namespace shingled::config
