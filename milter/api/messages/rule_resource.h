#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "config/promotions/decision_file.h"
#include "config/promotions/judgement_file.h"
#include "milter/api/messages/message_resource.h"
#include "milter/api/route.h"
#include "milter/policy/compile_rules.h"
#include "milter/replay/fired_rules.h"

namespace shingled::milter::api {

/// The rules in force, and what is known of them.
struct SiteRules {
  std::shared_ptr<const Settings> settings;
  std::shared_ptr<const policy::CompiledRules> rules;  ///< of these settings
  config::Judgements judgements;
  config::RuleDecisions decisions;
};

/// The rules on features and counters (API.md, "Rules").
///
///   GET    /api/1/rules                    all, with their figures
///   GET    /api/1/rules/{name}             one, with its judgement
///   POST   /api/1/rules/{name}/live        takes it out of shadow
///   POST   /api/1/rules/{name}/shadow      puts it into shadow
///   DELETE /api/1/rules/{name}/decision    the settings decide again
///   POST   /api/1/rules/check              what is wrong with a condition
///   POST   /api/1/rules/try                what a rule would have done
///   GET    /api/1/policy                   what `shingled policy status --json` shows
///
/// 404: there is no such rule. 409: it cannot be taken out of shadow here.
/// Threads: any thread.
/// Cost:    figures of the history are those of at most kFiredRows messages, and are used for
///          kFiguresLast; a trial looks at kTriedRows messages, for kTrialTime at most.
class RuleResource {
 public:
  static constexpr std::uint64_t kFiredRows = 20'000;
  static constexpr std::uint64_t kTriedRows = 200'000;
  static constexpr std::size_t kExamples = 50;
  static constexpr std::chrono::seconds kTrialTime{5};
  static constexpr std::chrono::seconds kFiguresLast{30};
  static constexpr std::chrono::days kSpan{7};

  struct Setup {
    /// Errors: kUnavailable: there are no rules here.
    std::function<Result<SiteRules>()> rules;
    MessageResource::OpenHistory history;
    /// How often a rule fired since the start.
    std::function<std::uint64_t(const std::string& rule)> fired;
    /// Keeps a decision, or forgets it, and returns when it is in force.
    std::function<Status(const std::string& rule, const std::optional<config::RuleDecision>&)>
        decide;
  };
  /// `clock` must outlive it.
  RuleResource(Setup setup, const Clock& clock) : setup_(std::move(setup)), clock_(clock) {}

  /// They use this object.
  [[nodiscard]] std::vector<Route> routes() const;

 private:
  /// The figures of the history, or why there are none.
  struct Figures {
    std::optional<TimePoint> made;
    replay::FiredRules fired = {};
    std::string off = {};
  };
  [[nodiscard]] http::HttpReply list(const Call& call) const;
  [[nodiscard]] http::HttpReply one(const Call& call) const;
  [[nodiscard]] http::HttpReply status() const;
  enum class Wish : std::uint8_t { kLive, kShadow, kSettings };
  [[nodiscard]] http::HttpReply decide(const Call& call, Wish wish) const;
  [[nodiscard]] http::HttpReply check(const Call& call) const;
  [[nodiscard]] http::HttpReply try_rule(const Call& call) const;
  /// What the rules of `after` would have done since `since`, compared with those in force.
  [[nodiscard]] http::HttpReply trial(const SiteRules& site, const policy::CompiledRules& after,
                                      const std::string& rule, const std::string& since,
                                      const Call& call) const;
  [[nodiscard]] Figures figures(const Call& call) const;

  const Setup setup_;
  const Clock& clock_;
  mutable Guarded<Figures> figures_;
};

}  // namespace shingled::milter::api
