#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/base/result.h"
#include "config/options/storage_options.h"
#include "storage/redis/hashes/transfer.h"

namespace shingled::milter::desk {

/// The database file of the local daemon, storage.hashfile. Only the embedded back end uses it;
/// with another back end a file may be left over, and its content is out of date.
///
/// `instead`: the command that does the same with backend redis.
/// Errors: kInvalid with that hint; wrong usage.
Result<std::string> database_file(const StorageOptions& options, std::string_view instead);

/// The Redis database that a command works with: the one of `url`; without a URL the one of
/// storage.redis, if that is the back end; else none. Prefix and expiry come from the settings.
/// Errors: kInvalid with the allowed forms of a URL; see apply_redis_url.
Result<std::optional<storage::redis::TransferOptions>> redis_choice(const std::string& url,
                                                                    const StorageOptions& options);

}  // namespace shingled::milter::desk
