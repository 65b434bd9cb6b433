#include "milter/filter/scanner.h"

#include <algorithm>
#include <utility>

#include "milter/counters/matched_pieces.h"
#include "milter/names/list_evidence.h"
#include "milter/rules/fuzzy_evidence.h"
#include "milter/similar/similar_evidence.h"
#include "mime/model/work_meter.h"
#include "storage/protocol/reply.h"

namespace shingled::milter::filter {

namespace {

using Outcome = rules::Lookup::Outcome;

Outcome outcome_of(const storage::client::RemoteAnswer& answer) {
  switch (answer.outcome) {
    case storage::client::RemoteAnswer::Outcome::kHit:
      return Outcome::kHit;
    case storage::client::RemoteAnswer::Outcome::kMiss:
    case storage::client::RemoteAnswer::Outcome::kDone:
      return Outcome::kMiss;
    case storage::client::RemoteAnswer::Outcome::kRefused:
      if (answer.status == storage::protocol::kStatusStoreAway) return Outcome::kUnreachable;
      // The server knows the hash but does not report it: a miss.
      return answer.status == storage::protocol::kStatusSkipped ? Outcome::kMiss
                                                                : Outcome::kRefused;
    case storage::client::RemoteAnswer::Outcome::kTimeout:
      return Outcome::kTimeout;
    case storage::client::RemoteAnswer::Outcome::kUnreachable:
      return Outcome::kUnreachable;
  }
  return Outcome::kUnreachable;
}

std::chrono::microseconds since(TimePoint start, TimePoint now) {
  return std::chrono::duration_cast<std::chrono::microseconds>(now - start);
}

}  // namespace

void take_answer(rules::Lookup& lookup, const storage::client::RemoteAnswer& answer) {
  lookup.outcome = answer.match || answer.outcome != storage::client::RemoteAnswer::Outcome::kHit
                       ? outcome_of(answer)
                       : Outcome::kMiss;
  lookup.server = answer.server;
  lookup.status = answer.status;
  lookup.time = answer.time;
  lookup.error = answer.error;
  if (lookup.outcome != Outcome::kHit) return;
  lookup.match = *answer.match;
  lookup.probability = answer.probability;
}

Result<std::unique_ptr<Scanner>> Scanner::open(
    std::shared_ptr<const Settings> settings, const storage::FuzzyStore* local, Clock& clock,
    Random& random, std::shared_ptr<const storage::similar::SampleLibrary> library, Names names,
    std::shared_ptr<const policy::Policy> policy,
    std::shared_ptr<const names::CurrentLists> lists) {
  std::unique_ptr<Scanner> scanner(new Scanner(std::move(settings), local, clock));
  scanner->policy_ = std::move(policy);
  scanner->lists_ = std::move(lists);
  const SimilarOptions& similar = scanner->settings_->similar;
  if (similar.enabled && library != nullptr) {
    scanner->similar_.emplace(similar, std::move(library), clock);
  }
  for (const RuleOptions& rule : scanner->settings_->rules) {
    scanner->hash_of_rule_.push_back(scanner->plan_.add(rule.hash));
    if (!rule.remote.is_remote()) {
      scanner->remotes_.push_back(nullptr);
      continue;
    }
    auto remote = names == Names::kNow
                      ? storage::client::RemoteStore::open(rule.remote, clock, random)
                      : storage::client::RemoteStore::open_by_address(rule.remote, clock, random);
    if (!remote) return remote.error().in("rule " + rule.name);
    scanner->remotes_.push_back(*std::move(remote));
  }
  if (scanner->settings_->counters.enabled) scanner->plan_.add_counted();
  return scanner;
}

Scanner::Scanner(std::shared_ptr<const Settings> settings, const storage::FuzzyStore* local,
                 Clock& clock)
    : settings_(std::move(settings)), local_(local), clock_(clock), plan_(*settings_) {}

std::vector<storage::client::ProbedService> Scanner::remotes() const {
  std::vector<storage::client::ProbedService> out;
  for (std::size_t rule = 0; rule < remotes_.size(); ++rule) {
    if (remotes_[rule] != nullptr) out.push_back({settings_->rules[rule].name, remotes_[rule]});
  }
  return out;
}

rules::Facts Scanner::scan(const Mail& mail) const {
  using Want = judge::MessageView::Want;
  const std::stop_token& stop = mail.stop;
  const TimePoint start = clock_.now();
  judge::MessageView message(mail.bytes, plan_, stop);
  const TimePoint analyzed = clock_.now();
  const Want texts = policy_ != nullptr ? Want::kTexts : Want::kHashes;
  message.hash(mail.counters != nullptr && plan_.counts() ? Want::kPieces : texts);
  const TimePoint hashed = clock_.now();
  judge::CounterSource* const counters = message.has_pieces() ? mail.counters : nullptr;

  rules::Facts facts;
  facts.stages.analysis = analyzed - start;
  facts.stages.hashing = hashed - analyzed;
  facts.bytes = mail.bytes.size();
  facts.text = rules::amount_of_text(message.hashes().longest_text_bytes);
  facts.defects = message.hashes().defects;
  facts.incomplete = message.hashes().incomplete;
  facts.stopped = stop.stop_requested();
  if (facts.stopped) return facts;
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
    facts.names = judge::names_of(message.header(), plan_, mail.envelope, mail.whole_envelope);

  const TimePoint deadline = hashed + settings_->milter.timeout;
  const auto now = unix_seconds(clock_.wall());
  bool has_remote = false;
  std::vector<std::vector<mime::PartHash>> chosen;  // same index as asked()
  for (const auto& of_one_kind : message.asked()) {
    facts.hashes += of_one_kind.size();
    chosen.push_back(in_order_of_value(of_one_kind, settings_->milter.lookups_max));
  }
  for (std::size_t rule = 0; rule < settings_->rules.size(); ++rule) {
    const std::size_t kind = hash_of_rule_[rule];
    facts.unasked += message.asked()[kind].size() - chosen[kind].size();
    for (const mime::PartHash& hash : chosen[kind]) {
      rules::Lookup& lookup = facts.lookups.emplace_back();
      lookup.rule = settings_->rules[rule].name;
      lookup.rule_index = static_cast<std::uint32_t>(rule);
      lookup.hash = hash;
      has_remote |= remotes_[rule] != nullptr;
    }
  }
  facts.stages.local = ask_local(facts.lookups, now);
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
    const TimePoint asked = clock_.now();
    ask_remotes(facts.lookups, deadline, stop);
    facts.stages.remote = clock_.now() - asked;
    if (counters != nullptr && !stop.stop_requested())
      counters->look_again(milter::counters::matched_hashes(facts.lookups), deadline,
                           facts.counters);
  }
  facts.time = since(start, clock_.now());
  if (facts.stopped) return facts;
  facts.findings.push_back(
      rules::fuzzy_findings(facts, settings_->rules, settings_->milter.actions));
  facts.findings.push_back(std::move(known_files));
  return facts;
}

rules::Findings Scanner::look_files_up(const judge::MessageView& message, TimePoint deadline,
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

void Scanner::apply_policy(rules::Facts& facts) const {
  if (facts.stopped) return;
  const std::shared_ptr<const names::Lists> lists =
      lists_ == nullptr ? std::make_shared<const names::Lists>() : lists_->get();
  if (names::has_entries(*lists, settings_->policy))
    facts.findings.push_back(names::list_findings(*lists, settings_->policy, facts.names));
  if (policy_ == nullptr || policy_->rules().rules.empty()) return;
  const TimePoint begun = clock_.now();
  auto findings = policy_->judge(facts, *lists);
  findings[0].time = clock_.now() - begun;
  for (rules::Findings& of_source : findings) facts.findings.push_back(std::move(of_source));
}

std::vector<std::string> Scanner::near_misses(const rules::Facts& facts) const {
  if (policy_ == nullptr) return {};
  return lists_ == nullptr ? policy_->near_misses(facts)
                           : policy_->near_misses(facts, *lists_->get());
}

rules::Verdict Scanner::judge(const rules::Facts& facts, FailurePolicy on_failure) const {
  return milter::rules::judge(facts, settings_->milter.actions, on_failure);
}

Duration Scanner::ask_local(std::vector<rules::Lookup>& lookups, std::uint32_t now) const {
  std::vector<rules::Lookup*> asking;
  std::vector<storage::Question> questions;
  for (rules::Lookup& lookup : lookups) {
    if (remotes_[lookup.rule_index] != nullptr) continue;
    lookup.server = "local";
    if (local_ == nullptr) {
      lookup.outcome = Outcome::kUnreachable;
      lookup.error = "the storage is not enabled";
      continue;
    }
    const Fingerprint& asked = lookup.hash.fingerprint;
    asking.push_back(&lookup);
    questions.push_back({&asked.digest, asked.shingles ? &*asked.shingles : nullptr});
  }
  if (local_ == nullptr || questions.empty()) return {};
  std::vector<std::optional<storage::Match>> matches(questions.size());
  const TimePoint start = clock_.now();
  const bool reached = local_->check_batch(questions, now, matches);
  const TimePoint end = clock_.now();
  for (std::size_t i = 0; i < asking.size(); ++i) {
    rules::Lookup& lookup = *asking[i];
    lookup.time = since(start, end);
    if (!matches[i] && !reached) {
      lookup.outcome = Outcome::kUnreachable;
      lookup.error = "the storage cannot be reached";
    }
    if (!matches[i]) continue;
    lookup.outcome = Outcome::kHit;
    lookup.match = *matches[i];
    lookup.probability = matches[i]->probability();
  }
  return end - start;
}

void Scanner::ask_remotes(std::vector<rules::Lookup>& lookups, TimePoint deadline,
                          const std::stop_token& stop) const {
  // The look-ups are ordered by rule, so those of one remote rule are adjacent.
  std::vector<std::vector<storage::client::RemoteRequest>> requests(remotes_.size());
  std::vector<std::size_t> first(remotes_.size());
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const std::size_t rule = lookups[i].rule_index;
    if (remotes_[rule] == nullptr) continue;
    if (requests[rule].empty()) first[rule] = i;
    requests[rule].push_back(
        {storage::client::RemoteRequest::Kind::kCheck, 0, 0, lookups[i].hash.fingerprint});
  }
  std::vector<storage::client::RemoteBatch> batches;
  std::vector<std::size_t> rule_of_batch;
  for (std::size_t rule = 0; rule < remotes_.size(); ++rule) {
    if (requests[rule].empty()) continue;
    batches.push_back({remotes_[rule].get(), requests[rule]});
    rule_of_batch.push_back(rule);
  }
  const auto answers = storage::client::ask(batches, deadline, stop);
  for (std::size_t b = 0; b < answers.size(); ++b) {
    for (std::size_t r = 0; r < answers[b].size(); ++r) {
      take_answer(lookups[first[rule_of_batch[b]] + r], answers[b][r]);
    }
  }
}

std::vector<mime::PartHash> in_order_of_value(std::vector<mime::PartHash> hashes,
                                              std::size_t count_max) {
  std::stable_sort(hashes.begin(), hashes.end(),
                   [](const mime::PartHash& a, const mime::PartHash& b) {
                     if (a.place != b.place) return a.place < b.place;
                     return a.place != mime::PartPlace::kBody && a.bytes > b.bytes;
                   });
  if (hashes.size() > count_max)
    hashes.erase(hashes.begin() + static_cast<std::ptrdiff_t>(count_max), hashes.end());
  return hashes;
}

}  // namespace shingled::milter::filter
