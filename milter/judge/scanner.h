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
#include "config/base/random.h"
#include "config/options/settings.h"
#include "milter/counters/envelope.h"
#include "milter/features/message_features.h"
#include "milter/judge/hash_lookups.h"
#include "milter/judge/message/message_view.h"
#include "milter/model/model_evidence.h"
#include "milter/names/list_files.h"
#include "milter/policy/policy_evidence.h"
#include "milter/reports/reported_message.h"
#include "milter/rules/facts.h"
#include "milter/rules/verdict.h"
#include "milter/similar/similar_search.h"
#include "storage/client/prober.h"
#include "storage/model/fuzzy_store.h"

namespace shingled::milter::judge {

/// Makes facts of a message: what each source of evidence says of it, in this order:
///
///   fuzzy hashes of this host, known files, counters, fuzzy hashes of remote servers,
///   limits (given), lists of names, the policy, the model
///
/// The message is taken apart once (MessageView), and everything that waits has one deadline. The
/// milter and the commands `scan`, `check` and `explain` use it. A new source is a line in scan().
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
    bool names = false;      ///< its names are wanted even if no rule and no list asks for them
    bool truncated = false;  ///< the end of the message is missing
    bool features = true;    ///< its features are wanted even if there is no rule
    bool tried = false;      ///< it is no mail: hits of rules and of stored hashes are not counted
    features::Arrival arrival = {};
    std::optional<rules::Findings> limits = {};  ///< of the limits of the mail server
    CounterSource* counters = nullptr;           ///< null = the counters are not asked
    /// Called with the message when all that is known of it was looked up; not if it is `stopped`.
    std::function<void(const MessageView&)> seen = {};
    /// Called before the remote servers are asked, which is the last look-up.
    std::function<void()> before_wait = {};
    std::stop_token stop = {};  ///< ends the scan early; then the facts are `stopped`

    inline static const counters::Envelope kNoEnvelope = {};
  };

  /// `local` answers the rules without servers; it must outlive the scanner. If it is null, their
  /// look-ups are kUnreachable. If `library` is null, known files are not looked up, even if the
  /// settings enable it. `policy`: null = there are no rules on features and counters,
  /// and nobody wants to know features. `lists`: the content of all files of names; null = no
  /// message is on a list. `model`: null = there is none.
  /// Errors: a remote store that cannot be opened; names its rule.
  static Result<std::unique_ptr<Scanner>> open(
      std::shared_ptr<const Settings> settings, const storage::FuzzyStore* local, Clock& clock,
      Random& random, std::shared_ptr<const storage::similar::SampleLibrary> library = {},
      ServerNames names = ServerNames::kNow, std::shared_ptr<const policy::Policy> policy = {},
      std::shared_ptr<const names::CurrentLists> lists = {},
      std::shared_ptr<const model::CurrentModel> model = {});

  /// Makes the facts of a message.
  /// Errors: in the facts.
  /// Cost: the analysis, one hash pass for each set of hash options, then at most `milter.timeout`.
  [[nodiscard]] rules::Facts scan(const Mail& mail) const;
  /// The rules that reports teach, for the messages that it shows.
  [[nodiscard]] const std::vector<reports::TaughtRule>& taught() const { return taught_; }
  /// What the policy and the model need of the counters.
  [[nodiscard]] features::CounterNeeds needs() const {
    const features::CounterNeeds rules =
        policy_ == nullptr ? features::CounterNeeds() : policy_->needs();
    return model_ == nullptr ? rules : features::union_of(rules, model::needs_of_model());
  }
  /// The rules of the policy that nearly fire.
  [[nodiscard]] std::vector<std::string> near_misses(const rules::Facts& facts) const;
  /// The verdict on facts that this scanner has made.
  [[nodiscard]] rules::Verdict judge(const rules::Facts& facts, FailurePolicy on_failure) const;
  [[nodiscard]] const Settings& settings() const { return *settings_; }
  /// The remote services that it asks; they may outlive it.
  [[nodiscard]] std::vector<storage::client::ProbedService> remotes() const {
    return hashes_->services();
  }

 private:
  Scanner(std::shared_ptr<const Settings> settings, Clock& clock)
      : settings_(std::move(settings)), clock_(clock), plan_(*settings_) {}
  /// What somebody asks for besides the hashes.
  [[nodiscard]] MessageView::Want wanted(const Mail& mail) const;
  /// What is known of the message itself, without any look-up.
  void describe(const Mail& mail, const MessageView& message, rules::Facts& facts) const;
  /// Whether the policy or a list asks for names.
  [[nodiscard]] bool asks_names() const;
  /// Looks up known files in the attachments of a message. Adds those that match to `matched`.
  [[nodiscard]] rules::Findings look_files_up(const MessageView& message, TimePoint deadline,
                                              std::vector<mime::Piece>& matched) const;
  /// Adds what the model says, which sees all of this.
  void apply_model(rules::Facts& facts) const;
  /// Adds what the lists and the policy say, which see all other findings.
  void apply_policy(const Mail& mail, rules::Facts& facts) const;

  std::shared_ptr<const Settings> settings_;
  Clock& clock_;
  ViewPlan plan_;
  std::vector<reports::TaughtRule> taught_;
  std::optional<HashLookups> hashes_;                 ///< set by `open`
  std::optional<similar::SimilarSearch> similar_;     ///< empty = known files are not looked up
  std::shared_ptr<const policy::Policy> policy_;      ///< null = none
  std::shared_ptr<const names::CurrentLists> lists_;  ///< null = none
  std::shared_ptr<const model::CurrentModel> model_;  ///< null = none
};

}  // namespace shingled::milter::judge
