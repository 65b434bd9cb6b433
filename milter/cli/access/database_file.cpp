#include "milter/cli/access/database_file.h"

namespace shingled::milter::cli {

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

}  // namespace shingled::milter::cli
