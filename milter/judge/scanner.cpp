#include "milter/judge/scanner.h"

#include <algorithm>
#include <utility>

#include "milter/counters/counted_hashes.h"
#include "milter/names/list_evidence.h"
#include "milter/rules/fuzzy_evidence.h"
#include "milter/similar/similar_evidence.h"

namespace shingled::milter::judge {

Result<std::unique_ptr<Scanner>> Scanner::open(
    std::shared_ptr<const Settings> settings, const storage::FuzzyStore* local, Clock& clock,
    Random& random, std::shared_ptr<const storage::similar::SampleLibrary> library,
    ServerNames names, std::shared_ptr<const policy::Policy> policy,
    std::shared_ptr<const names::CurrentLists> lists,
    std::shared_ptr<const model::CurrentModel> model) {
  std::unique_ptr<Scanner> scanner(new Scanner(std::move(settings), clock));
  const Settings& used = *scanner->settings_;
  auto hashes = HashLookups::open(used, local, clock, random, names, scanner->plan_);
  if (!hashes) return hashes.error();
  scanner->hashes_.emplace(*std::move(hashes));
  if (used.reports.enabled) scanner->taught_ = reports::taught_rules(used, scanner->plan_);
  if (used.counters.enabled) scanner->plan_.add_counted();
  if (used.similar.enabled && library != nullptr)
    scanner->similar_.emplace(used.similar, std::move(library), clock);
  scanner->policy_ = std::move(policy);
  scanner->lists_ = std::move(lists);
  scanner->model_ = std::move(model);
  return scanner;
}

rules::Facts Scanner::scan(const Mail& mail) const {
  const std::stop_token& stop = mail.stop;
  const TimePoint start = clock_.now();
  MessageView message(mail.bytes, plan_, stop);
  const TimePoint analyzed = clock_.now();
  message.hash(wanted(mail));
  const TimePoint hashed = clock_.now();
  const TimePoint deadline = hashed + settings_->milter.timeout;

  rules::Facts facts;
  facts.stages.analysis = analyzed - start;
  facts.stages.hashing = hashed - analyzed;
  describe(mail, message, facts);
  facts.stopped = stop.stop_requested();
  if (facts.stopped) return facts;

  hashes_->begin(message, facts);
  if (mail.tried) {
    hashes_->try_local(facts);
  } else {
    hashes_->ask_local(facts);
  }
  const bool has_remote = hashes_->has_remote(facts);
  CounterSource* const counters = message.has_pieces() ? mail.counters : nullptr;
  // At least half of the time stays for those who come after, however long one takes.
  const auto share_of_time = [&](bool others) {
    const TimePoint begun = clock_.now();
    return others ? begun + (deadline - begun) / 2 : deadline;
  };
  std::vector<mime::Piece> matched = milter::counters::matched_hashes(facts.lookups);
  rules::Findings known_files =
      look_files_up(message, share_of_time(has_remote || counters != nullptr), matched);
  if (counters != nullptr && !stop.stop_requested())
    facts.counters = counters->look(message, std::move(matched), share_of_time(has_remote), stop);
  facts.stopped = stop.stop_requested();
  if (has_remote && !facts.stopped) {
    if (mail.before_wait) mail.before_wait();
    hashes_->ask_remotes(facts, deadline, stop);
    if (counters != nullptr && !stop.stop_requested())
      counters->look_again(milter::counters::matched_hashes(facts.lookups), deadline,
                           facts.counters);
  }
  facts.time = std::chrono::duration_cast<std::chrono::microseconds>(clock_.now() - start);
  if (facts.stopped) return facts;
  if (mail.seen) mail.seen(message);
  facts.findings.push_back(
      rules::fuzzy_findings(facts, settings_->rules, settings_->milter.actions));
  facts.findings.push_back(std::move(known_files));
  if (mail.limits) facts.findings.push_back(*mail.limits);
  apply_policy(mail, facts);
  apply_model(facts);
  return facts;
}

MessageView::Want Scanner::wanted(const Mail& mail) const {
  if (mail.counters != nullptr && plan_.counts()) return MessageView::Want::kPieces;
  if (policy_ == nullptr) return MessageView::Want::kHashes;
  const bool asked = mail.features || !policy_->rules().rules.empty() || model_ != nullptr;
  return asked ? MessageView::Want::kTexts : MessageView::Want::kHashes;
}

void Scanner::describe(const Mail& mail, const MessageView& message, rules::Facts& facts) const {
  facts.bytes = mail.bytes.size();
  facts.truncated = mail.truncated;
  facts.text = rules::amount_of_text(message.hashes().longest_text_bytes);
  facts.defects = message.hashes().defects;
  facts.incomplete = message.hashes().incomplete;
  if (message.has_texts()) {
    facts.features = features::message_features({.bytes = mail.bytes,
                                                 .analysis = message.analysis(),
                                                 .hashes = message.hashes(),
                                                 .texts = message.texts(),
                                                 .links = message.links(),
                                                 .results = message.results(),
                                                 .arrival = mail.arrival,
                                                 .time = clock_.wall()});
  }
  if (mail.names || asks_names())
    facts.names = names_of(message.header(), plan_, mail.envelope, mail.whole_envelope);
}

rules::Findings Scanner::look_files_up(const MessageView& message, TimePoint deadline,
                                       std::vector<mime::Piece>& matched) const {
  if (!similar_) return {&similar::kSimilarSource};
  constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
  const mime::Steps work = message.hashes().work_left + (message.bytes().size() / kMegabyte + 1) *
                                                            similar::SimilarSearch::kStepsAMegabyte;
  const TimePoint begun = clock_.now();
  const similar::SimilarFacts found = similar_->search(message.analysis(), deadline, work);
  for (const similar::SimilarHit& hit : found.hits)
    matched.push_back(counters::matched_file(hit.list, hit.sample));
  return similar::similar_findings(found, settings_->similar.lists, clock_.now() - begun);
}

bool Scanner::asks_names() const {
  if (policy_ != nullptr && policy_->rules().asks_names()) return true;
  return lists_ != nullptr && names::has_entries(*lists_->get(), settings_->policy);
}

void Scanner::apply_policy(const Mail& mail, rules::Facts& facts) const {
  const std::shared_ptr<const names::Lists> lists =
      lists_ == nullptr ? std::make_shared<const names::Lists>() : lists_->get();
  if (names::has_entries(*lists, settings_->policy))
    facts.findings.push_back(names::list_findings(*lists, settings_->policy, facts.names));
  if (policy_ == nullptr || policy_->rules().rules.empty()) return;
  const TimePoint begun = clock_.now();
  auto findings = policy_->judge(
      facts, *lists,
      mail.tried ? policy::Policy::Hits::kNotCounted : policy::Policy::Hits::kCounted);
  findings[0].time = clock_.now() - begun;
  for (rules::Findings& of_source : findings) facts.findings.push_back(std::move(of_source));
}

void Scanner::apply_model(rules::Facts& facts) const {
  const auto in_force = model_ == nullptr ? nullptr : model_->get();
  if (in_force == nullptr) return;
  const TimePoint begun = clock_.now();
  rules::Findings findings = model::model_findings(*in_force, settings_->milter.actions, facts);
  findings.time = clock_.now() - begun;
  facts.findings.push_back(std::move(findings));
}

std::vector<std::string> Scanner::near_misses(const rules::Facts& facts) const {
  if (policy_ == nullptr) return {};
  return lists_ == nullptr ? policy_->near_misses(facts)
                           : policy_->near_misses(facts, *lists_->get());
}

rules::Verdict Scanner::judge(const rules::Facts& facts, FailurePolicy on_failure) const {
  return milter::rules::judge(facts, settings_->milter.actions, on_failure);
}

}  // namespace shingled::milter::judge
