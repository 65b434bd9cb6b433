#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/base/whole_file.h"
#include "config/options/ratelimit_options.h"

namespace shingled::milter {

/// Reads the files that the lists of section `ratelimit` name, and again when they changed. A file
/// that was good and is no more counts as it was; the log says so once for each change.
/// Threads: one thread. Cost: a stat(2) for each file; only what changed is read.
class LimitLists {
 public:
  explicit LimitLists(Logger& logger) : logger_(logger) {}

  /// The options with all that is in their files added. Errors: the first file that was never good,
  /// named, with the line; then what was read before stays.
  Result<MailLimitOptions> read(const MailLimitOptions& options);
  /// Whether a file that was read last time is another one by now.
  [[nodiscard]] bool changed() const;

 private:
  struct Content {
    FileStamp stamp;  // of the last try
    std::vector<Network> networks;
    std::vector<std::string> recipients;
  };
  enum class Kind : std::uint8_t { kNetworks, kRecipients };
  using Files = std::map<std::pair<Kind, std::string>, Content>;

  Result<Content> content_of(Kind kind, const std::string& path);

  Logger& logger_;
  Files files_;  // of the last call of `read`
};

}  // namespace shingled::milter
