#pragma once

#include <optional>
#include <string>

#include "config/options/storage_options.h"
#include "storage/redis_store/transfer.h"

namespace shingled::milter::cli {

/// The Redis database that a command works with: the one of `url`; without a URL the one of
/// storage.redis, if that is the back end; else none. Prefix and expiry come from the settings.
/// Errors: kInvalid with the allowed forms of a URL; see apply_redis_url.
Result<std::optional<storage::redis_store::TransferOptions>> redis_choice(
    const std::string& url, const StorageOptions& options);

}  // namespace shingled::milter::cli
