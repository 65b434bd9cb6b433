#pragma once

#include <optional>
#include <string>

#include "config/options/settings.h"
#include "storage/redis_store/transfer.h"

namespace shingled::milter::cli {

/// Whether a command works with a Redis database, and with which: that of `url`; without one that
/// of storage.redis if it is the backend; else none. Prefix and expiry are those of the settings.
/// Errors: kInvalid, with what may stand in a URL; see apply_redis_url.
Result<std::optional<storage::redis_store::TransferOptions>> redis_choice(
    const std::string& url, const StorageOptions& options);

}  // namespace shingled::milter::cli
