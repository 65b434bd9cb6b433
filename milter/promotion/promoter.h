#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "config/base/clock.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/outage.h"
#include "config/base/periodic_task.h"
#include "config/base/random.h"
#include "config/base/result.h"
#include "config/options/settings.h"
#include "config/promotions/judgement_file.h"
#include "milter/policy/compile_rules.h"
#include "milter/promotion/decide.h"

namespace shingled {
class MetricReport;  // config/metrics/metric_report.h
}

namespace shingled::milter::promotion {

/// Judges the rules in shadow of a daemon on its own history, once a day, and keeps what came of it
/// in a file beside the history. It changes no rule: it says when there is something to put in
/// force (take_change), and the settings that are read again have it (config/promotions).
///
/// A file that cannot be read is set aside. What cannot be kept changes nothing. Rules or a history
/// that are other ones in the middle of the work begin it anew.
/// Threads: any thread; one inside after `start`, "rule-judge".
/// Cost:    one pass over the history, a quarter of a processor at most; memory for the rules and
///          one message.
class Promoter {
 public:
  /// How often it looks whether it is time.
  static constexpr std::chrono::seconds kLook{10};
  /// After a failure it looks again when so much time has passed.
  static constexpr std::chrono::minutes kRetry{60};
  /// It rests so many times as long as it works.
  static constexpr int kRestFactor = 3;

  Promoter(const Clock& clock, Random& random, Logger& logger);
  ~Promoter() { close(); }
  Promoter(const Promoter&) = delete;
  Promoter& operator=(const Promoter&) = delete;
  Promoter(Promoter&&) = delete;
  Promoter& operator=(Promoter&&) = delete;

  /// What is in force from now on. `rules`: made of the policy of these settings, in its order.
  void use(const std::shared_ptr<const Settings>& settings,
           std::shared_ptr<const policy::CompiledRules> rules);
  void start();
  /// Ends the thread; work under way stops soon.
  void close() { task_.reset(); }

  /// Judges if it is time. The thread does this.
  void look(const std::stop_token& stop);
  /// Whether other rules are to be out of shadow than when it was last asked.
  bool take_change();
  [[nodiscard]] config::Judgements judgements() const { return state_.lock()->judgements; }
  void report(MetricReport& report) const;

 private:
  struct State {
    std::shared_ptr<const Settings> settings;  ///< null: no rule is judged
    std::shared_ptr<const policy::CompiledRules> rules;
    std::string file;
    config::Judgements judgements;
    std::uint64_t generation = 0;  ///< of settings that make other judgements
    bool changed = false;
  };
  /// Not for a file that cannot be read, and is there.
  std::optional<config::Judgements> read_file(const std::string& file);
  /// Whether to look again at once.
  bool judge(const State& now_in_force, const std::stop_token& stop);
  Result<config::Judgements> figures_of(const State& now_in_force, const std::stop_token& stop);
  void keep(const State& now_in_force, Decision decision);
  void tell(const config::Judgements& judgements, const Change& change,
            const PolicyOptions& policy);
  void fail(const std::string& file, const Error& error);
  [[nodiscard]] bool is_current(std::uint64_t generation) const;
  /// Waits as long as the work since the last call asks for.
  void rest(TimePoint& since, const std::stop_token& stop) const;

  const Clock& clock_;
  Logger& logger_;
  const std::chrono::seconds of_day_;
  mutable Guarded<State> state_;
  std::optional<TimePoint> retry_;    ///< thread of `look`
  Outage outage_;                     ///< thread of `look`
  std::optional<PeriodicTask> task_;  ///< last: it uses all of the above
};

}  // namespace shingled::milter::promotion
