#include "milter/api/client/client_key.h"

#include <algorithm>
#include <string_view>

#include "config/base/ascii.h"
#include "config/system/whole_file.h"
#include "milter/http/accounts/key_file.h"

namespace shingled::milter::api {

Result<std::string> read_client_key(const std::string& path) {
  if (path.empty()) return std::string();
  auto file = read_whole_file(path, http::kKeyFileBytesMax);
  if (!file) return file.error();
  if ((file->mode & 007) != 0)
    return Error{ErrorCode::kDenied, path + ": everybody may read it; allowed: mode 0640 or 0600"};
  for (std::string_view rest = file->text; !rest.empty();) {
    const std::string_view line = ascii::trim_space(rest.substr(0, rest.find('\n')));
    if (!line.empty()) return std::string(line);
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  }
  return Error{ErrorCode::kInvalid, path + ": has no key"};
}

}  // namespace shingled::milter::api
