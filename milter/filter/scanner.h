#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/random.h"
#include "config/options/settings.h"
#include "milter/counters/envelope.h"
#include "milter/counters/message_count.h"
#include "milter/features/message_features.h"
#include "milter/names/list_files.h"
#include "milter/policy/policy_evidence.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "milter/similar/similar_search.h"
#include "mime/analyze.h"
#include "storage/client/prober.h"
#include "storage/client/remote_store.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::filter {

/// Makes facts from the bytes of a message. The message is taken apart once, and hashed once for
/// all rules with the same hash options. Then the hashes of all rules are looked up, with one
/// deadline: in the embedded store, in the library of known files, and in all remote stores at the
/// same time over UDP. The milter and the command `scan` both use it.
///
/// It has one immutable snapshot of the settings; a reload makes a new scanner.
/// Threads: any thread.
class Scanner {
 public:
  /// When the names of remote servers are looked up.
  enum class Names : std::uint8_t {
    kNow,    ///< by `open`; it fails if one has no address
    kLater,  ///< by the user of `remotes`; such a server is unreachable until then
  };
  /// `local` answers the rules without servers; it must outlive the scanner. If it is null, their
  /// look-ups are kUnreachable. If `library` is null, known files are not looked up, even if the
  /// settings enable it. `policy`: null = there are no rules on features and counters,
  /// and nobody wants to know features. `lists`: the content of all files of names; null = no
  /// message is on a list.
  /// Errors: a remote store that cannot be opened; names its rule.
  static Result<std::unique_ptr<Scanner>> open(
      std::shared_ptr<const Settings> settings, const storage::FuzzyStore* local, Clock& clock,
      Random& random, std::shared_ptr<const storage::similar::SampleLibrary> library = {},
      Names names = Names::kNow, std::shared_ptr<const policy::Policy> policy = {},
      std::shared_ptr<const names::CurrentLists> lists = {});

  /// `before_wait` is called before the remote servers are asked, which is the last look-up. `stop`
  /// ends the scan early; then the facts are `stopped`. `count`: the counting of the message, which
  /// looks at its pieces; null = it is not counted. `arrival`: for the features.
  /// Errors: in the facts.
  /// Cost: the analysis, one hash pass for each set of hash options, then at most `milter.timeout`.
  [[nodiscard]] rules::Facts scan(std::string_view message,
                                  const std::function<void()>& before_wait = {},
                                  const std::stop_token& stop = {},
                                  counters::MessageCount* count = nullptr,
                                  const features::Arrival& arrival = {}) const;
  /// The names of a message: who sent it, to whom, over which list. `whole_envelope`: nothing is
  /// missing in it.
  [[nodiscard]] features::MessageNames names_of(std::string_view message,
                                                const counters::Envelope& envelope,
                                                bool whole_envelope) const;
  /// Whether the policy or a list asks for them.
  [[nodiscard]] bool asks_names() const;
  /// Adds what the lists and the policy say of the facts. Call it when all other findings and the
  /// names are there.
  void apply_policy(rules::Facts& facts) const;
  /// What the policy needs of the counters.
  [[nodiscard]] features::CounterNeeds needs() const {
    return policy_ == nullptr ? features::CounterNeeds() : policy_->needs();
  }
  /// The rules of the policy that nearly fire.
  [[nodiscard]] std::vector<std::string> near_misses(const rules::Facts& facts) const;
  /// The verdict on facts that this scanner has made.
  [[nodiscard]] rules::Verdict judge(const rules::Facts& facts, FailurePolicy on_failure) const;
  [[nodiscard]] const Settings& settings() const { return *settings_; }
  /// The remote services that it asks; they may outlive it.
  [[nodiscard]] std::vector<storage::client::ProbedService> remotes() const;

 private:
  Scanner(std::shared_ptr<const Settings> settings, const storage::FuzzyStore* local, Clock& clock);
  /// Chooses the rules whose hashes are pieces; adds them if no rule of the settings makes them.
  void choose_counted_rules();
  [[nodiscard]] features::FeatureValues features_of(const mime::Analysis& analysis,
                                                    std::string_view message,
                                                    const mime::MessageHashes& hashes,
                                                    const features::TextSummary& texts,
                                                    const mime::PieceList& links,
                                                    const features::Arrival& arrival) const;
  /// Looks up known files in the attachments of a message of `bytes` bytes. Adds those that match
  /// to `matched`.
  [[nodiscard]] rules::Findings look_files_up(const mime::Analysis& analysis,
                                              const mime::MessageHashes& hashes, std::size_t bytes,
                                              TimePoint deadline,
                                              std::vector<mime::Piece>& matched) const;
  /// Asks for all hashes in one call, so that a store behind a network waits only once. Returns the
  /// time that it took; each look-up gets this time.
  Duration ask_local(std::vector<rules::Lookup>& lookups, std::uint32_t now) const;
  void ask_remotes(std::vector<rules::Lookup>& lookups, TimePoint deadline,
                   const std::stop_token& stop) const;

  std::shared_ptr<const Settings> settings_;
  const storage::FuzzyStore* local_;
  Clock& clock_;
  std::vector<mime::HashRule> hash_rules_;  ///< without duplicates
  std::vector<std::size_t> hash_of_rule_;   ///< into hash_rules_
  std::size_t looked_up_ = 0;       ///< of hash_rules_; those behind them are for the counters
  std::size_t counted_texts_ = 0;   ///< into hash_rules_
  std::size_t counted_shapes_ = 0;  ///< into hash_rules_, of HTML structures
  std::vector<std::shared_ptr<storage::client::RemoteStore>> remotes_;  ///< by rule; null = local
  std::shared_ptr<const policy::Policy> policy_;                        ///< null = none
  std::shared_ptr<const names::CurrentLists> lists_;                    ///< null = none
  std::optional<similar::SimilarSearch> similar_;  ///< empty = known files are not looked up
};

/// Copies the answer of a remote server into a look-up. Status 401 (the server knows the hash, but
/// does not report it) is a miss.
void take_answer(rules::Lookup& lookup, const storage::client::RemoteAnswer& answer);

/// The scanner in force. A reload replaces it; each message uses one scanner from its beginning to
/// its end.
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

/// The hashes of a message in the order in which they are looked up, at most `count_max`: first
/// those of the visible body in their order, then other texts, attachments and images, archives;
/// within a group the larger part first. So the least useful hashes are left out, and hiding a part
/// behind padding costs more bytes than the part has. Pure.
std::vector<mime::PartHash> in_order_of_value(std::vector<mime::PartHash> hashes,
                                              std::size_t count_max);

}  // namespace shingled::milter::filter
