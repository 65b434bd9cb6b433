#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/random.h"
#include "config/options/settings.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "milter/similar/similar_search.h"
#include "mime/analyze.h"
#include "storage/client/prober.h"
#include "storage/client/remote_store.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::filter {

/// From message bytes to facts: taken apart once, hashed once for all rules that hash alike, then
/// every look-up of every rule at once: the embedded store in process, known files in the library
/// of samples, remote stores over UDP, all with one deadline. What the milter does with a message
/// and what `scan` explains is this.
///
/// One immutable snapshot of the settings; a reload makes a new one.
/// Threads: any thread.
class Scanner {
 public:
  /// When the names of remote servers are looked up.
  enum class Names : std::uint8_t {
    kNow,    ///< by `open`, for which each must have an address
    kLater,  ///< by whoever cares for `remotes`; until then such a server cannot be reached
  };
  /// `local` answers the rules without servers; it must outlive the scanner. Without one their
  /// look-ups are unreachable. Without `library` no known files are looked up, whatever the
  /// settings want.
  /// Errors: a remote that cannot be opened, naming its rule.
  static Result<std::unique_ptr<Scanner>> open(
      std::shared_ptr<const Settings> settings, const storage::FuzzyStore* local, Clock& clock,
      Random& random, std::shared_ptr<const storage::similar::SampleLibrary> library = {},
      Names names = Names::kNow);

  /// `before_wait` is called when only remote servers are left to ask. `stop`: ends it early; the
  /// facts then are `stopped`.
  /// Errors: inside the facts.
  /// Cost: the analysis, a hash pass for each different way to hash, then at most `milter.timeout`.
  [[nodiscard]] rules::Facts scan(std::string_view message,
                                  const std::function<void()>& before_wait = {},
                                  const std::stop_token& stop = {}) const;
  /// The verdict on facts of this scanner.
  [[nodiscard]] rules::Verdict judge(const rules::Facts& facts, FailurePolicy on_failure) const;
  [[nodiscard]] const Settings& settings() const { return *settings_; }
  /// The remote services it asks; they may outlive it.
  [[nodiscard]] std::vector<storage::client::ProbedService> remotes() const;

 private:
  Scanner(std::shared_ptr<const Settings> settings, const storage::FuzzyStore* local, Clock& clock);
  /// Known files in the attachments of a message of so many bytes.
  [[nodiscard]] rules::Findings look_files_up(const mime::Analysis& analysis,
                                              const mime::MessageHashes& hashes, std::size_t bytes,
                                              TimePoint deadline) const;
  /// All of them together, for a store behind a network waits once; each has their common time,
  /// which it gives.
  Duration ask_local(std::vector<rules::Lookup>& lookups, std::uint32_t now) const;
  void ask_remotes(std::vector<rules::Lookup>& lookups, TimePoint deadline,
                   const std::stop_token& stop) const;

  std::shared_ptr<const Settings> settings_;
  const storage::FuzzyStore* local_;
  Clock& clock_;
  std::vector<mime::HashRule> hash_rules_;                              ///< the different ones
  std::vector<std::size_t> hash_of_rule_;                               ///< into hash_rules_
  std::vector<std::shared_ptr<storage::client::RemoteStore>> remotes_;  ///< by rule; null = local
  std::optional<similar::SimilarSearch> similar_;                       ///< of known files
};

/// Fills in what a remote server answered. A 401 (the server knows the hash and will not tell) is a
/// miss.
void take_answer(rules::Lookup& lookup, const storage::client::RemoteAnswer& answer);

/// The scanner in force, swapped as a whole at reload and taken once a message.
/// Threads: any thread.
class CurrentScanner {
 public:
  explicit CurrentScanner(std::shared_ptr<const Scanner> scanner)
      : scanner_(std::in_place, std::move(scanner)) {}
  [[nodiscard]] std::shared_ptr<const Scanner> get() const { return *scanner_.lock(); }
  void set(std::shared_ptr<const Scanner> scanner) { scanner.swap(*scanner_.lock()); }

 private:
  mutable Guarded<std::shared_ptr<const Scanner>> scanner_;
};

/// The hashes of a message as they are asked about, at most `count_max`: the visible body as it
/// stands, then other texts, attachments and images, archives, of each the larger first. So padding
/// costs more bytes than it hides, and what is left out tells least. Pure.
std::vector<mime::PartHash> in_order_of_value(std::vector<mime::PartHash> hashes,
                                              std::size_t count_max);

}  // namespace shingled::milter::filter
