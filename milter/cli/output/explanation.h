#pragma once

#include <optional>
#include <span>
#include <string>

#include "config/base/clock.h"
#include "config/options/rule_options.h"
#include "config/system/socket_address.h"
#include "milter/cli/output/stored_match.h"
#include "milter/cli/terminal/console.h"
#include "milter/rules/facts.h"

namespace shingled::milter::cli {

/// A stored hash that matches a hash of a message, with everything we know about it: the answer of
/// a server, and the record in the database file if we can read it.
struct Explanation {
  const RuleOptions* rule = nullptr;
  const rules::Lookup* lookup = nullptr;
  std::optional<StoredMatch> stored;
  bool by_digest = false;                     ///< the user gave a digest: there is no part
  std::optional<IpAddress> taught_from = {};  ///< whose name the record has, if we know him
  std::string options = {};  ///< with which another command asks the same: " -c FILE"

  /// The server or the file knows the hash.
  [[nodiscard]] bool found() const {
    return stored || lookup->outcome == rules::Lookup::Outcome::kHit;
  }
  /// The command that deletes the hash.
  [[nodiscard]] std::string undo() const;
  [[nodiscard]] Json json(WallTime now) const;
  void print(WallTime now, Console& console) const;

 private:
  [[nodiscard]] std::string source_text() const;  ///< of `stored`
  [[nodiscard]] const Digest& digest() const;
  [[nodiscard]] std::span<const storage::FlagValue> flags() const;
  [[nodiscard]] std::uint32_t slots() const;
  [[nodiscard]] bool exact() const;
  [[nodiscard]] std::uint32_t created() const;
};

/// Age in the largest unit that gives at least 1: "5 s", "12 min", "4 h", "90 d".
std::string age_text(std::chrono::seconds age);

/// "2026-11-21 09:23:47 UTC, 3 d ago"
std::string moment_text(std::uint32_t unix_seconds, WallTime now);

}  // namespace shingled::milter::cli
