#include "milter/mta/mail_counters.h"

#include <algorithm>
#include <utility>

namespace shingled::milter::mta {

namespace {

constexpr std::array kAllOutcomes = {
    rules::Lookup::Outcome::kHit, rules::Lookup::Outcome::kMiss, rules::Lookup::Outcome::kRefused,
    rules::Lookup::Outcome::kTimeout, rules::Lookup::Outcome::kUnreachable};
constexpr std::array kAllActions = {rules::Action::kPass,     rules::Action::kAddHeader,
                                    rules::Action::kTempfail, rules::Action::kQuarantine,
                                    rules::Action::kReject,   rules::Action::kDiscard};

}  // namespace

void MailCounters::judged(const rules::Facts& facts, const rules::Verdict& verdict,
                          Duration total) {
  static_assert(kAllActions.size() == kActions && kAllOutcomes.size() == kOutcomes);
  actions_[static_cast<std::size_t>(verdict.action)].add();
  for (const rules::Lookup& lookup : facts.lookups) {
    lookups_[static_cast<std::size_t>(lookup.outcome)].add();
  }
  messages_.unasked.add(facts.unasked);
  const bool incomplete =
      facts.incomplete || std::any_of(facts.findings.begin(), facts.findings.end(),
                                      [](const auto& findings) { return findings.incomplete; });
  if (incomplete) messages_.incomplete.add();
  if (verdict.failed) messages_.unknown.add();
  messages_.bytes.add(facts.bytes);
  if (facts.truncated) messages_.truncated.add();
  analysis_.observe(facts.stages.analysis);
  hashing_.observe(facts.stages.hashing);
  if (facts.stages.local > Duration{}) local_.observe(facts.stages.local);
  if (facts.stages.remote > Duration{}) remote_.observe(facts.stages.remote);
  total_.observe(total);
  for (const rules::Findings& findings : facts.findings) {
    if (findings.time > Duration{}) looked_up(findings);
  }
}

void MailCounters::looked_up(const rules::Findings& findings) {
  auto sources = sources_.lock();
  OfSource& source = (*sources)[findings.source->key];
  source.time.observe(findings.time);
  for (const rules::Figure& figure : findings.figures) {
    const auto sum = std::find_if(source.sums.begin(), source.sums.end(), [&](const auto& known) {
      return known.name == figure.name && known.label_value == figure.label_value;
    });
    if (sum == source.sums.end()) {
      source.sums.push_back(figure);
    } else {
      sum->amount += figure.amount;
    }
  }
}

void MailCounters::report(MetricReport& report) const {
  const MetricName messages = {"shingled_mail_messages", "Messages, by what became of them."};
  for (const rules::Action action : kAllActions) {
    report.counter(messages, actions_[static_cast<std::size_t>(action)].read(),
                   {{"action", std::string(rules::to_string(action))}});
  }
  report.counter(messages, skipped_.read(), {{"action", "skip"}});
  for (const rules::Lookup::Outcome outcome : kAllOutcomes) {
    report.counter({"shingled_mail_lookups", "Hashes of messages looked up."},
                   lookups_[static_cast<std::size_t>(outcome)].read(),
                   {{"outcome", std::string(rules::to_string(outcome))}});
  }
  report_counters(messages_, report);
  const auto stage = [&](const char* name, const Histogram& times) {
    report.histogram({"shingled_mail_stage_seconds", "Time of the stages of a message."},
                     times.read(), {{"stage", name}});
  };
  stage("analysis", analysis_);
  stage("hashing", hashing_);
  stage("local_lookup", local_);
  stage("remote_lookup", remote_);
  stage("total", total_);
  auto sources = sources_.lock();
  for (const auto& [key, source] : *sources) {
    for (const rules::Figure& sum : source.sums) {
      const std::string name = "shingled_" + std::string(key) + "_" + std::string(sum.name);
      MetricLabels labels;
      if (!sum.label.empty()) labels.emplace_back(sum.label, sum.label_value);
      report.counter({name, sum.help}, sum.amount, std::move(labels));
    }
    stage((std::string(key) + "_lookup").c_str(), source.time);
  }
}

}  // namespace shingled::milter::mta
