#include "milter/api/messages/rule_resource.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "config/promotions/promoted_rules.h"
#include "milter/api/messages/rule_json.h"
#include "milter/api/messages/rule_request.h"
#include "milter/api/reply.h"
#include "milter/policy/policy_rules.h"
#include "milter/promotion/rule_status.h"
#include "milter/replay/change_trial.h"
#include "milter/replay/history_span.h"
#include "milter/view/policy_json.h"

namespace shingled::milter::api {

namespace {

using promotion::RuleStatus;

constexpr unsigned kRuleConflict = 409;
constexpr unsigned kWrongRule = 400;

/// All rules with their statuses; the places are those of the settings.
struct Listed {
  explicit Listed(const SiteRules& a_site)
      : site(a_site),
        statuses(
            promotion::statuses_of(*site.settings, *site.rules, site.judgements, site.decisions)) {}
  [[nodiscard]] Json json(std::size_t rule) const {
    const PolicyRuleOptions& options = site.settings->policy.rules[rule];
    return rule_json(options, statuses[rule], config::find_decision(site.decisions, options.name));
  }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    const auto& rules = site.settings->policy.rules;
    const auto found = std::ranges::find(rules, name, &PolicyRuleOptions::name);
    if (found == rules.end()) return std::nullopt;
    return static_cast<std::size_t>(found - rules.begin());
  }
  const SiteRules& site;
  std::vector<RuleStatus> statuses;
};

http::HttpReply no_rule(const std::string& name) {
  return problem({ErrorCode::kNotFound, "there is no rule " + shown(name)});
}

Json undo_json(const std::string& rule, const config::RuleDecision* before) {
  const std::string path = "/api/1/rules/" + rule;
  if (before == nullptr) return {{"method", "DELETE"}, {"path", path + "/decision"}};
  return {{"method", "POST"}, {"path", path + (before->live ? "/live" : "/shadow")}};
}

}  // namespace

RuleResource::Figures RuleResource::figures(const Call& call) const {
  auto known = figures_.lock();
  const TimePoint now = clock_.now();
  if (known->made && now - *known->made < kFiguresLast) return *known;
  Figures fresh{.made = now};
  const auto opened = setup_.history();
  const WallTime wall = clock_.wall();
  if (opened) {
    auto fired = replay::count_fired(
        *opened->reader, {replay::row_time(wall - kSpan), INT64_MAX}, kFiredRows,
        [&] { return !call.stop.stop_requested() && clock_.now() - now < kTrialTime; });
    if (fired) {
      fresh.fired = *std::move(fired);
    } else {
      fresh.off = fired.error().message;
    }
  } else {
    fresh.off = opened.error().message;
  }
  *known = fresh;
  return fresh;
}

http::HttpReply RuleResource::list(const Call& call) const {
  const auto site = setup_.rules();
  if (!site)
    return json_reply({{"rules", Json::array()}, {"next", nullptr}, {"off", site.error().message}});
  const Figures figures = this->figures(call);
  const Listed listed(*site);
  Json rules = Json::array();
  for (std::size_t i = 0; i < listed.statuses.size(); ++i) {
    Json rule = listed.json(i);
    rule["fired"] = setup_.fired(listed.statuses[i].name);
    put_counts(figures.fired, listed.statuses[i].name, rule);
    rules.push_back(std::move(rule));
  }
  const config::Judgements& all = site->judgements;
  Json out = {{"promote", to_string(site->settings->policy.promote)},
              {"judged", all.judged == WallTime() ? Json() : Json(view::time_text(all.judged))},
              {"summary", promotion::what_was_judged(*site->settings, all)},
              {"looked_at", looked_at_json(figures.fired)},
              {"rules", std::move(rules)}};
  if (!figures.off.empty()) out["off"] = figures.off;
  return json_reply(out);
}

http::HttpReply RuleResource::one(const Call& call) const {
  const auto site = setup_.rules();
  if (!site) return problem(site.error());
  const Listed listed(*site);
  const auto place = listed.find(call.part);
  if (!place) return no_rule(call.part);
  const Figures figures = this->figures(call);
  Json out = listed.json(*place);
  out["fired"] = setup_.fired(call.part);
  put_counts(figures.fired, call.part, out);
  const config::RuleJudgement* const judged = site->judgements.find(call.part);
  out["judgement"] =
      judged == nullptr ? Json() : view::judgement_json(*judged, site->judgements.unreported);
  return json_reply(out);
}

http::HttpReply RuleResource::status() const {
  const auto site = setup_.rules();
  if (!site) return problem(site.error());
  return json_reply(
      view::policy_status_json(*site->settings, *site->rules, site->judgements, site->decisions));
}

http::HttpReply RuleResource::decide(const Call& call, Wish wish) const {
  auto site = setup_.rules();
  if (!site) return problem(site.error());
  const auto place = Listed(*site).find(call.part);
  if (!place) return no_rule(call.part);
  const PolicyRuleOptions& rule = site->settings->policy.rules[*place];
  if (wish == Wish::kLive && rule.shadow && rule.kept)
    return problem(kRuleConflict, "policy.live keeps this rule in shadow: -" + rule.name);
  if (wish != Wish::kSettings && !rule.enabled)
    return problem(kRuleConflict, "this rule is not enabled: it is not evaluated at all");
  std::optional<config::RuleDecision> decision;
  if (wish != Wish::kSettings)
    decision = {rule.name, wish == Wish::kLive, clock_.wall(), call.request.caller.name};
  if (call.flag("try")) {
    Settings settings = *site->settings;
    config::RuleDecisions decisions = site->decisions;
    std::erase_if(decisions, [&](const auto& one) { return one.name == rule.name; });
    if (decision) decisions.push_back(*decision);
    // Without the decision a rule may be out of shadow by its figures again.
    config::use_promotions(site->judgements, settings);
    config::use_decisions(decisions, settings);
    const auto after = policy::policy_rules(settings).rules;
    if (after == nullptr) return problem({ErrorCode::kInternal, "the rules cannot be compiled"});
    return trial(*site, *after, rule.name, "", call);
  }
  const config::RuleDecision* const found = config::find_decision(site->decisions, rule.name);
  const Json undo = undo_json(rule.name, found);
  if (Status done = setup_.decide(rule.name, decision); !done) return problem(done.error());
  http::HttpReply now = one(call);
  const auto object = Json::parse(now.body, nullptr, /*allow_exceptions=*/false);
  if (now.status != 200 || !object.is_object()) return now;  // another reload took the rule away
  Json out = object;
  out["undo"] = undo;
  return json_reply(out);
}

http::HttpReply RuleResource::check(const Call& call) const {
  const auto site = setup_.rules();
  if (!site) return problem(site.error());
  auto asked = parse_rule_request(call.request.body, /*may_do_nothing=*/true);
  if (!asked) return problem(asked.error());
  const Json mistakes = mistakes_json(with_rule(site->settings->policy.rules, asked->rule),
                                      policy::check_context(*site->settings));
  const bool ok = std::ranges::all_of(
      mistakes, [](const Json& mistake) { return mistake.at("warning").get<bool>(); });
  return json_reply({{"ok", ok}, {"mistakes", mistakes}});
}

http::HttpReply RuleResource::try_rule(const Call& call) const {
  const auto site = setup_.rules();
  if (!site) return problem(site.error());
  auto asked = parse_rule_request(call.request.body, /*may_do_nothing=*/false);
  if (!asked) return problem(asked.error());
  const std::string name = asked->rule.name;
  const RulesWithOne with = with_rule(site->settings->policy.rules, asked->rule);
  PolicyOptions options = site->settings->policy;
  options.rules = with.rules;
  const policy::CheckContext context = policy::check_context(*site->settings);
  const auto after = policy::policy_rules(options, context).rules;
  if (after == nullptr) {
    http::HttpReply reply = problem(kWrongRule, "the rule is wrong; \"mistakes\" says where");
    Json object = Json::parse(reply.body, nullptr, /*allow_exceptions=*/false);
    object["mistakes"] = mistakes_json(with, context);
    reply.body = view::json_text(object) + "\n";
    return reply;
  }
  return trial(*site, *after, name, asked->since, call);
}

http::HttpReply RuleResource::trial(const SiteRules& site, const policy::CompiledRules& after,
                                    const std::string& rule, const std::string& since,
                                    const Call& call) const {
  const auto opened = setup_.history();
  if (!opened) return problem(opened.error());
  const auto span = replay::span_of({since.empty() ? "7d" : since, ""}, clock_.wall());
  if (!span) {
    Error error = span.error();
    error.message.erase(0, error.message.find_first_not_of('-'));  // of a command
    return problem(error);
  }
  const auto place = std::ranges::find(after.rules, rule, &policy::Rule::name);
  if (place == after.rules.end()) return no_rule(rule);
  const TimePoint begin = clock_.now();
  const auto report = replay::try_change(
      *opened->reader, *span,
      {*site.rules, after, static_cast<std::size_t>(place - after.rules.begin())},
      site.settings->milter.actions,
      {.rows_max = kTriedRows, .examples_max = kExamples, .go_on = [&] {
         return !call.stop.stop_requested() && clock_.now() - begin < kTrialTime;
       }});
  if (!report) return problem(report.error());
  return json_reply(change_json(*report, *opened->reader));
}

std::vector<Route> RuleResource::routes() const {
  using http::HttpMethod;
  using http::Right;
  using Kind = Parameter::Kind;
  using Pace = Route::Pace;
  constexpr std::string_view kRule =
      "name condition score action group reason remedy place enabled shadow live kept promoted "
      "decision state note proposal fired messages spam ham s_o judgement";
  constexpr std::string_view kTrial =
      "since messages hits s_o would_change changes examples lacking unchecked broken complete";
  const Parameter only_try{"try", "only tells what it would do: as rules/try", Kind::kFlag};
  const auto decision = [&](HttpMethod method, std::string_view path, std::string_view summary,
                            Wish wish) {
    return Route{
        method,      path,    Right::kChange,
        Pace::kSlow, summary, {only_try},
        "",          "",      [this, wish](const Call& call) { return decide(call, wish); }};
  };
  std::vector<Route> out = {{HttpMethod::kGet,
                             "/api/1/rules",
                             Right::kRead,
                             Pace::kLater,
                             "The rules on features and counters, with what they did.",
                             {},
                             "",
                             "rules",
                             [this](const Call& call) { return list(call); }},
                            {HttpMethod::kGet,
                             "/api/1/rules/{name}",
                             Right::kRead,
                             Pace::kLater,
                             "One rule.",
                             {},
                             "",
                             kRule,
                             [this](const Call& call) { return one(call); }},
                            {HttpMethod::kGet,
                             "/api/1/policy",
                             Right::kRead,
                             Pace::kLater,
                             "Where each rule stands: what the command policy status shows.",
                             {},
                             "",
                             "promote judged messages unreported broken summary rules",
                             [this](const Call&) { return status(); }},
                            {HttpMethod::kPost,
                             "/api/1/rules/check",
                             Right::kRead,
                             Pace::kLater,
                             "What is wrong with a rule, with the place in its condition.",
                             {},
                             "application/json",
                             "ok mistakes",
                             [this](const Call& call) { return check(call); }},
                            {HttpMethod::kPost,
                             "/api/1/rules/try",
                             Right::kRead,
                             Pace::kLater,
                             "What a rule would have done to the messages of the history.",
                             {},
                             "application/json",
                             kTrial,
                             [this](const Call& call) { return try_rule(call); }}};
  out.push_back(decision(HttpMethod::kPost, "/api/1/rules/{name}/live",
                         "Takes a rule out of shadow, until somebody decides otherwise.",
                         Wish::kLive));
  out.push_back(decision(HttpMethod::kPost, "/api/1/rules/{name}/shadow",
                         "Puts a rule into shadow, until somebody decides otherwise.",
                         Wish::kShadow));
  out.push_back(decision(HttpMethod::kDelete, "/api/1/rules/{name}/decision",
                         "Forgets what was decided about a rule: the settings say it again.",
                         Wish::kSettings));
  for (Route& route : out)
    if (route.members.empty()) route.members = "undo";
  return out;
}

}  // namespace shingled::milter::api
