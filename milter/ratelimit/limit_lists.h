#pragma once

#include <string>
#include <vector>

#include "config/base/logger.h"
#include "config/base/result.h"
#include "config/options/ratelimit_options.h"
#include "config/watched_files.h"

namespace shingled::milter::ratelimit {

/// Reads the files that the lists of section `ratelimit` name, and again when they changed
/// (config/watched_files.h).
/// Threads: one thread.
class LimitLists {
 public:
  /// A file that was never good.
  struct Fault {
    std::string option;  ///< that names it: "ratelimit.whitelisted_ip"
    Error error;         ///< with the path
  };

  explicit LimitLists(Logger& logger) : files_(parse, logger) {}

  /// The options with all that is in their files added. To be followed by `accept` when they are in
  /// force.
  /// Errors: the first file that was never good, with its option, named, with the line.
  Result<MailLimitOptions> read(const MailLimitOptions& options);
  /// All those of the last reading.
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  void accept() { files_.accept(); }
  /// Whether a file that was read last time is another one by now.
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
