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
#include "milter/features/message_features.h"
#include "milter/judge/message/counter_source.h"
#include "milter/judge/message/message_view.h"
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
  /// A message to be judged. All of it must outlive scan().
  struct Mail {
    std::string_view bytes;
    const counters::Envelope& envelope = kNoEnvelope;
    bool whole_envelope = false;  ///< nothing is missing in the envelope
    bool names = false;  ///< its names are wanted even if no rule and no list asks for them
    features::Arrival arrival = {};
    judge::CounterSource* counters = nullptr;  ///< null = the counters are not asked
    /// Called before the remote servers are asked, which is the last look-up.
    std::function<void()> before_wait = {};
    std::stop_token stop = {};  ///< ends the scan early; then the facts are `stopped`

    inline static const counters::Envelope kNoEnvelope = {};
  };

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

  /// Makes the facts of a message; those that come from its bytes, its envelope and the look-ups.
  /// Errors: in the facts.
  /// Cost: the analysis, one hash pass for each set of hash options, then at most `milter.timeout`.
  [[nodiscard]] rules::Facts scan(const Mail& mail) const;
  /// Adds what the lists and the policy say of the facts. Call it when all other findings are
  /// there.
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
  /// Whether the policy or a list asks for names.
  [[nodiscard]] bool asks_names() const;
  /// Looks up known files in the attachments of a message. Adds those that match to `matched`.
  [[nodiscard]] rules::Findings look_files_up(const judge::MessageView& message, TimePoint deadline,
                                              std::vector<mime::Piece>& matched) const;
  /// Asks for all hashes in one call, so that a store behind a network waits only once. Returns the
  /// time that it took; each look-up gets this time.
  Duration ask_local(std::vector<rules::Lookup>& lookups, std::uint32_t now) const;
  void ask_remotes(std::vector<rules::Lookup>& lookups, TimePoint deadline,
                   const std::stop_token& stop) const;

  std::shared_ptr<const Settings> settings_;
  const storage::FuzzyStore* local_;
  Clock& clock_;
  judge::ViewPlan plan_;
  std::vector<std::size_t> hash_of_rule_;  ///< into MessageView::asked()
  std::vector<std::shared_ptr<storage::client::RemoteStore>> remotes_;  ///< by rule; null = local
  std::shared_ptr<const policy::Policy> policy_;                        ///< null = none
  std::shared_ptr<const names::CurrentLists> lists_;                    ///< null = none
  std::optional<similar::SimilarSearch> similar_;  ///< empty = known files are not looked up
};

/// Copies the answer of a remote server into a look-up. Status 401 (the server knows the hash, but
/// does not report it) is a miss.
void take_answer(rules::Lookup& lookup, const storage::client::RemoteAnswer& answer);

/// The hashes of a message in the order in which they are looked up, at most `count_max`: first
/// those of the visible body in their order, then other texts, attachments and images, archives;
/// within a group the larger part first. So the least useful hashes are left out, and hiding a part
/// behind padding costs more bytes than the part has. Pure.
std::vector<mime::PartHash> in_order_of_value(std::vector<mime::PartHash> hashes,
                                              std::size_t count_max);

}  // namespace shingled::milter::filter
