#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/options/ratelimit_options.h"
#include "config/watched_files.h"

namespace shingled::milter::ratelimit {

/// Reads the list files that section `ratelimit` names, again if they have changed
/// (config/watched_files.h).
/// Threads: one thread.
class LimitLists {
 public:
  /// A file that has never been valid.
  struct Fault {
    std::string option;  ///< the option with this file: "ratelimit.whitelisted_ip"
    Error error;         ///< with the path
  };

  explicit LimitLists(Logger& logger) : files_(parse, logger) {}

  /// Returns the options with the contents of their files added. Call `accept` when they are in
  /// force.
  /// Errors: the first file that has never been valid, with option, path and line.
  Result<MailLimitOptions> read(const MailLimitOptions& options);
  /// All invalid files of the last `read`.
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  void accept() { files_.accept(); }
  /// Whether a file has changed since it was read.
  [[nodiscard]] bool changed() const { return files_.changed(); }

 private:
  struct Content {
    std::vector<Network> networks;
    std::vector<std::string> recipients;
  };
  enum class Kind : std::uint8_t { kNetworks, kRecipients };
  using Files = config::WatchedFiles<Kind, Content>;

  static Result<Files::Parsed> parse(Kind kind, const std::string& path);

  Files files_;
  std::vector<Fault> faults_;
};

}  // namespace shingled::milter::ratelimit
