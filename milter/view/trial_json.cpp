#include "milter/view/trial_json.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "milter/replay/history_span.h"
#include "milter/replay/row_replay.h"
#include "milter/view/policy_json.h"

namespace shingled::milter::view {

Json trial_json(const policy::CompiledRules& rules_tried, const replay::TrialReport& report) {
  Json tried = Json::array();
  for (std::size_t i = 0; i < rules_tried.rules.size(); ++i) {
    tried.push_back({{"rule", rules_tried.rules[i].name},
                     {"hits", trial_counts_json(report.rules[i])},
                     {"s_o", replay::spam_share(report.rules[i], report.messages)}});
  }
  Json thresholds = Json::array();
  Json changes = Json::array();
  for (std::size_t from = 0; from < replay::kTrialActions; ++from) {
    const std::string name(to_string(static_cast<rules::Action>(from)));
    if (from > 0)
      thresholds.push_back({{"action", name},
                            {"before", trial_counts_json(report.before[from])},
                            {"after", trial_counts_json(report.after[from])}});
    for (std::size_t to = 0; to < replay::kTrialActions; ++to) {
      if (report.changes[from][to] == 0) continue;
      changes.push_back({{"from", name},
                         {"to", std::string(to_string(static_cast<rules::Action>(to)))},
                         {"count", report.changes[from][to]}});
    }
  }
  Json examples = Json::array();
  for (const replay::TrialChange& change : report.examples) {
    examples.push_back({{"time", replay::moment_text(change.time)},
                        {"queue_id", change.queue_id},
                        {"from", std::string(to_string(change.from))},
                        {"to", std::string(to_string(change.to))},
                        {"score_from", change.score_from},
                        {"score_to", change.score_to}});
  }
  const auto windows = replay::windows_of(rules_tried);
  Json lacking = Json::array();
  for (const auto& [window, count] : report.lacking) {
    Json wanted = Json::array();
    for (std::size_t i = 0; i < windows.size(); ++i)
      if (windows[i].contains(window)) wanted.push_back(rules_tried.rules[i].name);
    lacking.push_back({{"window", window}, {"messages", count}, {"rules", std::move(wanted)}});
  }
  return {{"messages", trial_counts_json(report.messages)},
          {"broken", report.broken},
          {"unseen", report.unseen},
          {"other_windows", report.other_windows},
          {"lacking", std::move(lacking)},
          {"rules", tried},
          {"thresholds", thresholds},
          {"changes", changes},
          {"examples", examples}};
}

}  // namespace shingled::milter::view
