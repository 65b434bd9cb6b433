#include "milter/promotion/promoter.h"

#include <algorithm>
#include <condition_variable>
#include <set>
#include <utility>
#include <vector>

#include "config/metrics/metric_report.h"
#include "config/promotions/judgement_file.h"
#include "config/promotions/promoted_rules.h"
#include "config/promotions/replaced_file.h"
#include "milter/promotion/decide.h"
#include "milter/replay/shadow_trial.h"

namespace shingled::milter::promotion {

namespace {

using config::Judgements;
using config::RuleJudgement;
using config::RuleStage;
using replay::JudgedRule;

std::set<std::string> promoted_in(const Judgements& judgements) {
  std::set<std::string> out;
  for (const RuleJudgement& rule : judgements.rules)
    if (rule.stage == RuleStage::kPromoted) out.insert(rule.name);
  return out;
}

/// The rules that are in shadow by the settings, and may leave it.
std::vector<JudgedRule> judged_rules(const PolicyOptions& policy, const Judgements& before,
                                     WallTime now) {
  std::vector<JudgedRule> out;
  for (std::size_t i = 0; i < policy.rules.size(); ++i) {
    const PolicyRuleOptions& rule = policy.rules[i];
    if (!rule.enabled || !rule.shadow || rule.kept) continue;
    const RuleJudgement* const last = before.find(rule.name);
    // Out of shadow by a decision: there is nothing to judge.
    if (rule.promoted && (last == nullptr || last->stage != RuleStage::kPromoted)) continue;
    JudgedRule& judged = out.emplace_back(JudgedRule{.rule = i});
    if (!rule.promoted) continue;
    judged.promoted_at = std::min(last->since, now);
  }
  return out;
}

std::size_t count_of(const Judgements& judgements, RuleStage stage) {
  return static_cast<std::size_t>(
      std::ranges::count(judgements.rules, stage, &RuleJudgement::stage));
}

std::chrono::seconds settled_time(Random& random) {
  const auto jitter = std::chrono::seconds(kJitterMax).count();
  return kSettledHour + std::chrono::seconds(random.next_u32() % jitter);
}

}  // namespace

Promoter::Promoter(const Clock& clock, Random& random, Logger& logger)
    : clock_(clock), logger_(logger), of_day_(settled_time(random)) {}

void Promoter::start() {
  task_.emplace("rule-judge", kLook, [this](const std::stop_token& stop) { look(stop); });
}

std::optional<Judgements> Promoter::read_file(const std::string& file) {
  auto read = config::read_judgements(file);
  if (read) return *std::move(read);
  LogLine line("policy_judgements_unreadable");
  line.field("file", file).field("problem", read.error().message);
  line.field("promoted", "none");
  const bool is_content =
      read.error().code == ErrorCode::kCorrupt || read.error().code == ErrorCode::kInvalid;
  const auto aside = is_content ? config::set_aside(file) : Result<std::string>(read.error());
  if (is_content) line.field(aside ? "kept_as" : "kept", aside ? *aside : aside.error().message);
  logger_.error(line);
  return aside ? std::optional(Judgements{}) : std::nullopt;
}

void Promoter::use(const std::shared_ptr<const Settings>& settings,
                   std::shared_ptr<const policy::CompiledRules> rules) {
  const bool wanted = settings->policy.promote != PolicyPromote::kOff;
  const std::string file = config::judgement_file(settings->history);
  std::optional<Judgements> fresh;  // of a file that was not read before
  if (wanted && settings->history.enabled && state_.lock()->file != file) {
    fresh = read_file(file);
    if (!fresh) return;
  }
  if (wanted && !settings->history.enabled)
    logger_.info(LogLine("policy_promote_off").field("why", "history.enabled is no"));
  auto state = state_.lock();
  const bool same = state->settings != nullptr && state->file == file &&
                    state->settings->policy == settings->policy &&
                    state->settings->milter.actions == settings->milter.actions;
  if (!same) ++state->generation;
  if (fresh) state->judgements = *std::move(fresh);
  state->settings = wanted && settings->history.enabled ? settings : nullptr;
  if (state->settings != nullptr) state->file = file;
  state->rules = std::move(rules);
}

bool Promoter::take_change() { return std::exchange(state_.lock()->changed, false); }

bool Promoter::is_current(std::uint64_t generation) const {
  return state_.lock()->generation == generation;
}

void Promoter::look(const std::stop_token& stop) {
  for (;;) {
    if (retry_ && clock_.now() < *retry_) return;
    const State now_in_force = *state_.lock();
    if (now_in_force.settings == nullptr) return;
    if (!is_due(now_in_force.judgements.judged, clock_.wall(), of_day_)) return;
    if (!judge(now_in_force, stop)) return;
  }
}

void Promoter::rest(TimePoint& since, const std::stop_token& stop) const {
  const auto pause = (clock_.now() - since) * kRestFactor;
  if (pause > Duration::zero()) {
    Mutex nobody_else;
    MutexLock lock(nobody_else);
    std::condition_variable_any stopped;
    stopped.wait_for(lock.as_lock(), stop, pause, [] { return false; });
  }
  since = clock_.now();
}

Result<Judgements> Promoter::figures_of(const State& now_in_force, const std::stop_token& stop) {
  const Settings& settings = *now_in_force.settings;
  const auto judged = judged_rules(settings.policy, now_in_force.judgements, clock_.wall());
  TimePoint since = clock_.now();
  auto report =
      replay::judge_history(settings.history.file, *now_in_force.rules, judged,
                            settings.milter.actions, [&](const storage::WorkDone&) {
                              rest(since, stop);
                              return !stop.stop_requested() && is_current(now_in_force.generation);
                            });
  // Without a history there is nothing that speaks for a rule.
  if (!report && report.error().code == ErrorCode::kNotFound) report = replay::HistoryReport{};
  if (!report) return report.error();
  report->trial.figures.resize(judged.size());
  report->trial.lacking.resize(judged.size());
  Judgements out{.messages = report->trial.messages,
                 .unreported = report->trial.unreported,
                 .broken = report->trial.broken,
                 .first = std::max(report->first, WallTime())};
  const std::vector<std::uint64_t> identities = config::identities_of(settings.policy.rules);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    out.rules.push_back({.name = settings.policy.rules[judged[i].rule].name,
                         .identity = identities[judged[i].rule],
                         .figures = report->trial.figures[i],
                         .lacking = std::move(report->trial.lacking[i])});
  }
  return out;
}

bool Promoter::judge(const State& now_in_force, const std::stop_token& stop) {
  const TimePoint begin = clock_.now();
  auto fresh = figures_of(now_in_force, stop);
  if (stop.stop_requested()) return false;
  if (!is_current(now_in_force.generation)) return true;
  if (!fresh) {
    fail(now_in_force.settings->history.file, fresh.error());
    return false;
  }
  const PolicyPromote promote = now_in_force.settings->policy.promote;
  Decision decision = decide(now_in_force.judgements, *std::move(fresh), promote, clock_.wall());
  if (Status kept = config::write_judgements(now_in_force.file, decision.judgements); !kept) {
    fail(now_in_force.file, kept.error());
    return false;
  }
  retry_.reset();
  static_cast<void>(outage_.end());
  const Judgements& now = decision.judgements;
  const std::chrono::duration<double> taken = clock_.now() - begin;
  logger_.info(LogLine("policy_judged")
                   .field("rules", now.rules.size())
                   .field("messages", now.messages)
                   .field("proposed", count_of(now, RuleStage::kProposed))
                   .field("promoted", count_of(now, RuleStage::kPromoted))
                   .field("seconds", taken.count(), 1));
  for (const Change& change : decision.changes) tell(now, change, now_in_force.settings->policy);
  keep(now_in_force, std::move(decision));
  return false;
}

void Promoter::keep(const State& now_in_force, Decision decision) {
  auto state = state_.lock();
  // Another history came meanwhile: its judgements are in memory.
  if (state->file != now_in_force.file) return;
  if (promoted_in(state->judgements) != promoted_in(decision.judgements)) state->changed = true;
  state->judgements = std::move(decision.judgements);
}

void Promoter::tell(const Judgements& judgements, const Change& change,
                    const PolicyOptions& policy) {
  const RuleJudgement& rule = change.now;
  if (rule.stage == RuleStage::kShadow && change.from == RuleStage::kReturned) return;
  LogLine line("policy_promote");
  line.field("rule", rule.name).field("state", to_string(rule.stage));
  line.field("messages", rule.figures.messages).field("reported", rule.figures.reported);
  line.field("rescued", rule.figures.rescued);
  line.field("correspondents", rule.figures.correspondents);
  line.field("share", unreported_share(rule.figures, judgements.unreported), 3);
  if (rule.figures.stopped > 0) line.field("stopped", rule.figures.stopped);
  if (rule.stage == RuleStage::kProposed) line.field("accept", accepting(policy, rule.name));
  if (rule.stage == RuleStage::kReturned || rule.stage == RuleStage::kShadow)
    line.field("why", why_returned(rule.figures, judgements.unreported));
  if (rule.stage == RuleStage::kReturned) {
    logger_.warning(line);
  } else {
    logger_.info(line);
  }
}

void Promoter::fail(const std::string& file, const Error& error) {
  retry_ = clock_.now() + kRetry;
  if (!outage_.begin()) return;
  logger_.error(LogLine("policy_judge_failed")
                    .field("file", file)
                    .field("problem", error.message)
                    .field("rules", "stay as they are"));
}

void Promoter::report(MetricReport& report) const {
  auto state = state_.lock();
  for (const RuleStage stage :
       {RuleStage::kShadow, RuleStage::kProposed, RuleStage::kPromoted, RuleStage::kReturned}) {
    report.gauge({"shingled_policy_judged_rules",
                  "Rules in shadow that the history has judged, by where they stand."},
                 std::uint64_t{count_of(state->judgements, stage)},
                 {{"state", std::string(to_string(stage))}});
  }
}

}  // namespace shingled::milter::promotion
