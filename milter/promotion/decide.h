#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/clock.h"
#include "config/options/policy_options.h"
#include "config/promotions/judgement_file.h"

namespace shingled::milter::promotion {

/// Rules are judged from this time of the day on, UTC. A part of an hour is added, so that many
/// daemons do not begin at once.
inline constexpr std::chrono::hours kSettledHour{2};
inline constexpr std::chrono::minutes kJitterMax{60};

/// Whether rules are to be judged. `last`: when that was done; 0 = never. `of_day`: the settled
/// time of this daemon, below a day. A last time that is still to come came from a wrong clock.
/// Threads: stateless.
bool is_due(WallTime last, WallTime now, std::chrono::seconds of_day);

// What the figures of a rule must be so that it is proposed or goes out of shadow.
inline constexpr std::uint64_t kMessagesMin = 50;  ///< that it alone would have marked
inline constexpr std::uint64_t kReportedMin = 5;   ///< of these
/// Of all mail that nobody reported: one in so many may be marked. None that somebody rescued, and
/// none between two who write to each other.
inline constexpr std::uint64_t kUnreportedOneIn = 1000;

// When the figures have turned. The difference keeps a rule from going in and out every day; one
// slip of a finger is not yet the word of people.
inline constexpr std::uint64_t kRescuedTurned = 2;
inline constexpr std::uint64_t kCorrespondentsTurned = 2;
inline constexpr std::uint64_t kUnreportedTurnedOneIn = 500;
/// So long a rule whose figures turned stays in shadow, whatever they are.
inline constexpr std::chrono::days kRest{14};
static_assert(kUnreportedTurnedOneIn < kUnreportedOneIn);

/// Whether the figures speak for a rule. `unreported`: all messages that nobody reported.
bool is_good(const config::RuleFigures& figures, std::uint64_t unreported);
/// Whether they speak against one that they spoke for.
bool has_turned(const config::RuleFigures& figures, std::uint64_t unreported);

/// The part of the mail that nobody reported and that the rule would have marked, in percent, 0
/// without such mail.
double unreported_share(const config::RuleFigures& figures, std::uint64_t unreported);

/// The first thing that is missing, for people: "12 of 50 messages that it alone would have
/// marked". Empty if the figures are good.
std::string why_not(const config::RuleFigures& figures, std::uint64_t unreported);

/// The judgement of a rule that stands elsewhere than before.
struct Change {
  config::RuleStage from{};
  config::RuleJudgement now;
  friend bool operator==(const Change&, const Change&) = default;
};

struct Decision {
  config::Judgements judgements;
  std::vector<Change> changes;
};

/// Says where each rule stands now. `fresh`: what the history says of the rules today; what it has
/// as stage and since does not count. `before`: of the last time; a rule with another identity
/// begins anew.
///
/// With kAuto at most one rule a time goes out of shadow, the one that most people reported: the
/// next one is then judged with it in force, so that no two together do what neither does alone.
/// One that would have stopped mail that nobody reported stays a proposal. Those whose figures
/// turned go back all at once.
/// Threads: stateless.
Decision decide(const config::Judgements& before, config::Judgements fresh, PolicyPromote promote,
                WallTime now);

/// The line of settings that takes this rule out of shadow: "policy.live: [marks, NAME]".
/// Threads: stateless.
std::string accepting(const PolicyOptions& policy, std::string_view rule);

/// Why a rule went back into shadow, or is not proposed any more. `unreported`: all messages that
/// nobody reported.
/// Threads: stateless.
std::string why_returned(const config::RuleFigures& figures, std::uint64_t unreported);

}  // namespace shingled::milter::promotion
