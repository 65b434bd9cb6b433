#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/base/clock.h"
#include "config/options/settings.h"
#include "milter/desk/report_client.h"
#include "milter/rules/facts.h"

namespace shingled::milter::desk {

/// What people reported of a hash and of what is like it.
struct HashCase {
  std::string id;          ///< as `shingled cases` has it
  std::string effect;      ///< "noted" "marked" "rejected" "closed"
  std::uint64_t spam = 0;  ///< people who say spam
  std::uint64_t ham = 0;   ///< people who say that it is wanted

  /// "1a2b3c4d: 2 people say spam, 1 wanted, marked"
  [[nodiscard]] std::string text() const;
};

/// Finds the case of a hash with the help of the running daemon. If it does not answer, nothing is
/// known, and it is not asked again.
/// Threads: one thread; waits.
/// Cost:    one request for each hash.
class HashCases {
 public:
  /// Both must outlive it.
  HashCases(const Settings& settings, const Clock& clock);

  /// nullopt: nobody reported it, or nothing is known.
  std::optional<HashCase> of(const Digest& digest);
  /// The case of what a look-up found, or of what it asked for. Of other servers nothing is known.
  std::optional<HashCase> of(const rules::Lookup& lookup, const RuleOptions& rule);

 private:
  const std::optional<RemoteOptions> local_;
  ReportClient client_;
  bool answers_;
};

}  // namespace shingled::milter::desk
