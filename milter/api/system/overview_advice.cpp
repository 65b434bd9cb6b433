#include "milter/api/system/overview_advice.h"

#include <fmt/format.h>

#include <utility>

#include "milter/view/policy_json.h"

namespace shingled::milter::api {

namespace {

using config::RuleJudgement;
using config::RuleStage;

/// Rules that the history proposes and nobody has decided about.
void add_proposals(const SiteFacts& facts, std::vector<Attention>& out) {
  for (const RuleJudgement& judged : facts.judgements.rules) {
    if (judged.stage != RuleStage::kProposed) continue;
    if (config::find_decision(facts.decisions, judged.name) != nullptr) continue;
    out.push_back({"rule",
                   fmt::format("the rule {} is ready to go live: {}", judged.name,
                               view::proposal_text(judged)),
                   "rules/" + judged.name});
  }
}

}  // namespace

std::vector<Attention> attention_of(const SiteFacts& facts) {
  std::vector<Attention> out;
  if (!facts.takes_updates)
    out.push_back({"disk", "the storage takes no updates; its disk may be full", "system"});
  if (!facts.settings_good)
    out.push_back({"settings",
                   "the settings that were read last are wrong: those of before are in force",
                   "system"});
  if (facts.settings.counters.enabled && !facts.counters_off.empty())
    out.push_back({"counters", "nothing is counted: " + facts.counters_off, "system"});
  if (facts.settings.history.enabled && !facts.history_off.empty())
    out.push_back({"history", facts.history_off, "system"});
  if (facts.open_cases > 0)
    out.push_back({"case",
                   facts.open_cases == 1
                       ? "one case marks or rejects mail"
                       : fmt::format("{} cases mark or reject mail", facts.open_cases),
                   "cases"});
  add_proposals(facts, out);
  for (const std::string& line : facts.errors) out.push_back({"error", line, "system"});
  if (out.size() > kAttentionMost) out.resize(kAttentionMost);
  return out;
}

std::vector<SetupStep> setup_of(const SiteFacts& facts) {
  const Settings& settings = facts.settings;
  const MetricReport& metrics = facts.metrics;
  const bool mail = metrics.total("shingled_mail_messages") > 0 ||
                    metrics.total("shingled_history_bytes") > 64.0 * 1024;
  return {
      {"mail", mail, "shingled setup postfix --apply",
       "The mail server asks this filter about each message (or: shingled setup sendmail)."},
      {"hashes", metrics.total("shingled_storage_records") > 0, "shingled add --flag denied FILE",
       "The storage knows some spam: by hand, by reports of people, or from a master."},
      {"counters", settings.counters.enabled && facts.counters_off.empty(), "",
       "Addresses, links and subjects are counted (counters.enabled)."},
      {"history", settings.history.enabled && facts.history_off.empty(), "",
       "Verdicts are kept, so that they can be explained and rules tried (history.enabled)."},
      {"reports", settings.reports.enabled && metrics.total("shingled_reports_received") > 0,
       "shingled setup dovecot --apply",
       "People report mail by moving it to or from the junk folder."},
      {"people", facts.has_people, "shingled passwd NAME --role change",
       "People can sign in from other machines."},
      {"live", settings.milter.enabled && !settings.milter.dry_run, "",
       "Verdicts are carried out (milter.dry_run: no)."},
  };
}

}  // namespace shingled::milter::api
