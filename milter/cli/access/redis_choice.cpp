#include "milter/cli/access/redis_choice.h"

#include "storage/redis/redis_url.h"

namespace shingled::milter::cli {

Result<std::optional<storage::redis_store::TransferOptions>> redis_choice(
    const std::string& url, const StorageOptions& options) {
  storage::redis_store::TransferOptions chosen{options.redis, options.engine.expire};
  if (url.empty() && options.backend != Backend::kRedis) {
    return std::optional<storage::redis_store::TransferOptions>();
  }
  if (!url.empty()) {
    if (Status applied = storage::redis::apply_redis_url(url, chosen.redis); !applied) {
      return applied.error();
    }
  }
  return std::optional(chosen);
}

}  // namespace shingled::milter::cli
