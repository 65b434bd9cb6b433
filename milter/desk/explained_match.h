#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/base/clock.h"
#include "config/options/rule_options.h"
#include "config/system/socket_address.h"
#include "milter/rules/facts.h"
#include "milter/transfer/hash_file.h"
#include "milter/view/json.h"

namespace shingled::milter::desk {

/// A stored hash that matches a hash of a message, with everything we know about it: the answer of
/// a server, and the record in the database file if we can read it.
struct ExplainedMatch {
  const RuleOptions* rule = nullptr;
  const rules::Lookup* lookup = nullptr;
  std::optional<transfer::StoredMatch> stored;
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
  /// For people: names and texts, from the message in part.
  [[nodiscard]] std::vector<std::vector<std::string>> rows(WallTime now) const;

 private:
  [[nodiscard]] std::string source_text() const;  ///< of `stored`
  [[nodiscard]] const Digest& digest() const;
  [[nodiscard]] std::span<const storage::FlagValue> flags() const;
  [[nodiscard]] std::uint32_t slots() const;
  [[nodiscard]] bool exact() const;
  [[nodiscard]] std::uint32_t created() const;
};

}  // namespace shingled::milter::desk
