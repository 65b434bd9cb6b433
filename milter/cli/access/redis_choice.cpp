#include "milter/cli/access/redis_choice.h"

#include "storage/redis/redis_url.h"

namespace shingled::milter {

Result<std::optional<storage::TransferOptions>> redis_choice(const std::string& url,
                                                             const StorageOptions& options) {
  storage::TransferOptions chosen{options.redis, options.engine.expire};
  if (url.empty() && options.backend != Backend::kRedis) {
    return std::optional<storage::TransferOptions>();
  }
  if (!url.empty()) {
    if (Status applied = storage::apply_redis_url(url, chosen.redis); !applied) {
      return applied.error();
    }
  }
  return std::optional(chosen);
}

}  // namespace shingled::milter
