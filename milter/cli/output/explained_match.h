#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/base/result.h"
#include "config/options/rule_options.h"
#include "config/system/socket_address.h"
#include "milter/cli/terminal/console.h"
#include "milter/rules/facts.h"
#include "storage/sqlite/hashes/fuzzy_table.h"

namespace shingled::milter::cli {

/// A record of the database file that answers a question.
struct StoredMatch {
  storage::sqlite::FuzzyRow row;
  std::uint32_t slots = 0;  ///< equal shingle slots; 32 for the same digest
  bool exact = false;       ///< the same digest
};

/// The best record for each question, read from the file: the same digest, else most equal slots,
/// at least kMatchSlotsMin. Expired records count too; the reader says how old they are.
///
/// For `explain`, with or without a daemon.
/// Errors: those of FuzzyTable, naming the file.
/// Cost: one pass over the whole file.
Result<std::vector<std::optional<StoredMatch>>> search_file(const std::string& path,
                                                            std::span<const Fingerprint> asked);

/// The digests in the file that begin with this hexadecimal text, at most `most`. Cost and errors
/// as above.
Result<std::vector<Digest>> digests_with_prefix(const std::string& path, const std::string& hex,
                                                std::size_t most);

/// A stored hash that matches a hash of a message, with everything we know about it: the answer of
/// a server, and the record in the database file if we can read it.
struct ExplainedMatch {
  const RuleOptions* rule = nullptr;
  const rules::Lookup* lookup = nullptr;
  std::optional<StoredMatch> stored;
  bool by_digest = false;                     ///< the user gave a digest: there is no part
  std::optional<IpAddress> taught_from = {};  ///< whose name the record has, if it is known
  std::string options = {};    ///< with which another command asks the same: " -c FILE"
  std::string case_id = {};    ///< of what people reported of it; empty = nothing
  std::string case_text = {};  ///< "1a2b3c4d: 2 people say spam, marked"

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
