#include "milter/desk/servers/storage_choice.h"

#include "storage/redis/route/open_route.h"

namespace shingled::milter::desk {

Result<std::string> database_file(const StorageOptions& options, std::string_view instead) {
  std::string why;
  switch (options.backend) {
    case Backend::kEmbedded:
      return options.engine.hashfile;
    case Backend::kRedis:
      why = "storage.backend is redis: the hashes are not in a file; use " + std::string(instead);
      break;
    case Backend::kNoop:
      why = "storage.backend is noop: no hashes are kept";
      break;
  }
  return Error{ErrorCode::kInvalid,
               why + " (to use storage.hashfile anyway: -o storage.backend=embedded)"};
}

Result<std::optional<storage::redis::TransferOptions>> redis_choice(const std::string& url,
                                                                    const StorageOptions& options) {
  storage::redis::TransferOptions chosen{options.redis, options.engine.expire};
  if (url.empty() && options.backend != Backend::kRedis) {
    return std::optional<storage::redis::TransferOptions>();
  }
  if (!url.empty()) {
    if (Status applied = storage::redis::apply_redis_url(url, chosen.redis); !applied) {
      return applied.error();
    }
  }
  return std::optional(chosen);
}

}  // namespace shingled::milter::desk
