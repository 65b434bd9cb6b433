#include "milter/api/messages/rule_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "config/promotions/promoted_rules.h"
#include "milter/history/message_search.h"
#include "milter/replay/history_span.h"
#include "milter/rules/verdict.h"
#include "milter/view/message_json.h"
#include "milter/view/policy_json.h"

namespace shingled::milter::api {

namespace {

using config::RuleStage;
using promotion::RuleStatus;
using storage::sqlite::HistoryReader;

Json text_json(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string place_text(const PolicyPlace& place) {
  return place.file.empty() ? "" : fmt::format("{}:{}", place.file, place.line);
}

/// The examples with what the history knows of them.
Json examples_json(HistoryReader& reader, const std::vector<replay::TrialChange>& examples) {
  Json out = Json::array();
  for (const replay::TrialChange& change : examples) {
    Json object = {{"id", change.queue_id + "@" + std::to_string(change.time)},
                   {"time", replay::moment_text(change.time)},
                   {"queue_id", change.queue_id},
                   {"sender", nullptr},
                   {"recipients", nullptr},
                   {"subject", nullptr},
                   {"label", nullptr}};
    const auto read = history::find_named(
        reader, object["id"].get<std::string>(), [&](const history::FoundMessage& message) {
          const Json whole = view::message_json(message);
          for (const char* name : {"sender", "recipients", "subject", "label"})
            object[name] = whole.at(name);
        });
    static_cast<void>(read);  // what is not known stays null
    object["from"] = rules::to_string(change.from);
    object["to"] = rules::to_string(change.to);
    object["score_from"] = change.score_from;
    object["score_to"] = change.score_to;
    out.push_back(std::move(object));
  }
  return out;
}

Json changes_json(const replay::ChangeReport& report) {
  Json out = Json::array();
  for (std::size_t from = 0; from < replay::kTrialActions; ++from) {
    for (std::size_t to = 0; to < replay::kTrialActions; ++to) {
      if (report.changes[from][to] == 0) continue;
      out.push_back({{"from", rules::to_string(static_cast<rules::Action>(from))},
                     {"to", rules::to_string(static_cast<rules::Action>(to))},
                     {"count", report.changes[from][to]}});
    }
  }
  return out;
}

}  // namespace

Json rule_json(const PolicyRuleOptions& rule, const RuleStatus& status,
               const config::RuleDecision* decision) {
  const bool shadow = config::is_in_shadow(rule);
  Json decided = nullptr;
  if (decision != nullptr) {
    decided = {{"to", decision->live ? "live" : "shadow"},
               {"at", view::time_text(decision->at)},
               {"by", text_json(decision->by)}};
  }
  const bool proposed = status.judged != nullptr && decision == nullptr &&
                        status.judged->stage == RuleStage::kProposed;
  return {{"name", rule.name},
          {"condition", rule.condition},
          {"score", rule.score ? Json(*rule.score) : Json(nullptr)},
          {"action", rule.action ? Json(to_string(*rule.action)) : Json(nullptr)},
          {"group", text_json(rule.group)},
          {"reason", text_json(rule.reason)},
          {"remedy", text_json(rule.remedy)},
          {"place", text_json(place_text(rule.place))},
          {"enabled", rule.enabled},
          {"shadow", shadow},
          {"live", rule.enabled && !shadow},
          {"kept", rule.shadow && rule.kept},
          {"promoted", rule.promoted && (decision == nullptr || !decision->live)},
          {"decision", std::move(decided)},
          {"state", status.state},
          {"note", text_json(status.note)},
          {"proposal", proposed ? Json(view::proposal_text(*status.judged)) : Json(nullptr)}};
}

void put_counts(const replay::FiredRules& fired, const std::string& rule, Json& out) {
  const auto found = fired.rules.find(rule);
  const replay::TrialCounts counts =
      found == fired.rules.end() ? replay::TrialCounts{} : found->second;
  out["messages"] = counts.all;
  out["spam"] = counts.spam;
  out["ham"] = counts.ham;
  out["s_o"] = counts.spam + counts.ham == 0 ? Json(nullptr)
                                             : Json(replay::spam_share(counts, fired.messages));
}

Json looked_at_json(const replay::FiredRules& fired) {
  return {{"messages", fired.messages.all},
          {"spam", fired.messages.spam},
          {"ham", fired.messages.ham},
          {"since", fired.since == 0 ? Json(nullptr) : Json(replay::moment_text(fired.since))}};
}

Json change_json(const replay::ChangeReport& report, HistoryReader& reader) {
  Json lacking = Json::array();
  for (const auto& [window, count] : report.lacking)
    lacking.push_back({{"window", window}, {"messages", count}});
  const bool fired = report.hits.spam + report.hits.ham > 0;
  return {{"since", report.since == 0 ? Json(nullptr) : Json(replay::moment_text(report.since))},
          {"messages", view::trial_counts_json(report.messages)},
          {"hits", view::trial_counts_json(report.hits)},
          {"s_o", fired ? Json(replay::spam_share(report.hits, report.messages)) : Json(nullptr)},
          {"would_change", report.changed()},
          {"changes", changes_json(report)},
          {"examples", examples_json(reader, report.examples)},
          {"lacking", std::move(lacking)},
          {"unchecked", report.unseen},
          {"broken", report.broken},
          {"complete", report.complete}};
}

}  // namespace shingled::milter::api
