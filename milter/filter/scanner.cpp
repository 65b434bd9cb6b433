#include "milter/filter/scanner.h"

#include <algorithm>
#include <utility>

#include "milter/counters/counted_hashes.h"
#include "milter/counters/matched_pieces.h"
#include "milter/counters/message_names.h"
#include "milter/counters/sender_proof.h"
#include "milter/names/list_evidence.h"
#include "milter/rules/fuzzy_evidence.h"
#include "milter/similar/similar_evidence.h"
#include "mime/message/header_block.h"
#include "mime/model/work_meter.h"
#include "mime/pieces/text_collector.h"
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
    auto& known = scanner->hash_rules_;
    const auto same = std::find_if(known.begin(), known.end(), [&](const mime::HashRule& other) {
      return other.options() == rule.hash;
    });
    scanner->hash_of_rule_.push_back(static_cast<std::size_t>(same - known.begin()));
    if (same == known.end()) known.emplace_back(rule.hash);

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
  scanner->looked_up_ = scanner->hash_rules_.size();
  if (scanner->settings_->counters.enabled) scanner->choose_counted_rules();
  return scanner;
}

void Scanner::choose_counted_rules() {
  const auto same = std::find_if(
      hash_rules_.begin(), hash_rules_.end(),
      [](const mime::HashRule& rule) { return counters::makes_counted_texts(rule.options()); });
  counted_texts_ = static_cast<std::size_t>(same - hash_rules_.begin());
  if (same == hash_rules_.end()) hash_rules_.emplace_back(counters::counted_text_options());
  counted_shapes_ = hash_rules_.size();
  hash_rules_.emplace_back(counters::counted_structure_options());
}

Scanner::Scanner(std::shared_ptr<const Settings> settings, const storage::FuzzyStore* local,
                 Clock& clock)
    : settings_(std::move(settings)), local_(local), clock_(clock) {}

std::vector<storage::client::ProbedService> Scanner::remotes() const {
  std::vector<storage::client::ProbedService> out;
  for (std::size_t rule = 0; rule < remotes_.size(); ++rule) {
    if (remotes_[rule] != nullptr) out.push_back({settings_->rules[rule].name, remotes_[rule]});
  }
  return out;
}

rules::Facts Scanner::scan(std::string_view message, const std::function<void()>& before_wait,
                           const std::stop_token& stop, counters::MessageCount* count,
                           const features::Arrival& arrival) const {
  const TimePoint start = clock_.now();
  const mime::Analysis analysis = mime::analyze(message, settings_->mime, stop);
  const TimePoint analyzed = clock_.now();
  std::optional<counters::MessageLook> look;
  if (count != nullptr && hash_rules_.size() > looked_up_) {
    look.emplace(*count, analysis, message, settings_->mime, stop,
                 &settings_->milter.local_networks);
  }
  features::TextSummary texts;
  mime::WorkMeter link_work(mime::steps_for(message.size(), settings_->mime.work_max), stop);
  std::optional<mime::TextCollector> links;
  if (policy_ != nullptr && !look) links.emplace(analysis, settings_->counters.pieces, link_work);
  mime::TextObserver observer;
  if (look || links) {
    observer = [&](std::size_t part, const mime::TextStages& text) {
      texts.add(text);
      if (look) look->add(part, text);
      if (links) links->add(part, text);
    };
  }
  const std::span<const mime::HashRule> rules(hash_rules_);
  const mime::MessageHashes hashes =
      mime::hash_message(analysis, look ? rules : rules.first(looked_up_), observer);
  const TimePoint hashed = clock_.now();

  rules::Facts facts;
  facts.stages.analysis = analyzed - start;
  facts.stages.hashing = hashed - analyzed;
  facts.bytes = message.size();
  facts.text = rules::amount_of_text(hashes.longest_text_bytes);
  facts.defects = hashes.defects;
  facts.incomplete = hashes.incomplete;
  facts.stopped = stop.stop_requested();
  if (facts.stopped) return facts;
  if (observer) {
    facts.features = features_of(analysis, message, hashes, texts,
                                 look ? look->texts() : links->pieces(), arrival);
  }

  const TimePoint deadline = hashed + settings_->milter.timeout;
  const auto now = unix_seconds(clock_.wall());
  bool has_remote = false;
  std::vector<std::vector<mime::PartHash>> chosen;  // same index as `hashes.of_rule`
  for (const auto& of_one_kind : std::span(hashes.of_rule).first(looked_up_)) {
    facts.hashes += of_one_kind.size();
    chosen.push_back(in_order_of_value(of_one_kind, settings_->milter.lookups_max));
  }
  for (std::size_t rule = 0; rule < settings_->rules.size(); ++rule) {
    const std::size_t kind = hash_of_rule_[rule];
    facts.unasked += hashes.of_rule[kind].size() - chosen[kind].size();
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
  std::vector<mime::Piece> matched = counters::matched_hashes(facts.lookups);
  rules::Findings known_files =
      look_files_up(analysis, hashes, message.size(), share_of_time(has_remote || look), matched);
  if (look && !stop.stop_requested()) {
    facts.counters = look->look(
        counters::counted_hashes(hashes.of_rule[counted_texts_], hashes.of_rule[counted_shapes_]),
        std::move(matched), share_of_time(has_remote));
  }
  facts.stopped = stop.stop_requested();
  if (has_remote && !facts.stopped) {
    if (before_wait) before_wait();
    const TimePoint asked = clock_.now();
    ask_remotes(facts.lookups, deadline, stop);
    facts.stages.remote = clock_.now() - asked;
    if (look && !stop.stop_requested())
      look->look_again(counters::matched_hashes(facts.lookups), deadline, facts.counters);
  }
  facts.time = since(start, clock_.now());
  if (facts.stopped) return facts;
  facts.findings.push_back(
      rules::fuzzy_findings(facts, settings_->rules, settings_->milter.actions));
  facts.findings.push_back(std::move(known_files));
  return facts;
}

rules::Findings Scanner::look_files_up(const mime::Analysis& analysis,
                                       const mime::MessageHashes& hashes, std::size_t bytes,
                                       TimePoint deadline,
                                       std::vector<mime::Piece>& matched) const {
  if (!similar_) return {&similar::kSimilarSource};
  constexpr std::size_t kMegabyte = std::size_t{1} << 20U;
  const mime::Steps work =
      hashes.work_left + (bytes / kMegabyte + 1) * similar::SimilarSearch::kStepsAMegabyte;
  const TimePoint begun = clock_.now();
  const similar::SimilarFacts found = similar_->search(analysis, deadline, work);
  for (const similar::SimilarHit& hit : found.hits)
    matched.push_back(counters::matched_file(hit.list, hit.sample));
  return similar::similar_findings(found, settings_->similar.lists, clock_.now() - begun);
}

features::FeatureValues Scanner::features_of(const mime::Analysis& analysis,
                                             std::string_view message,
                                             const mime::MessageHashes& hashes,
                                             const features::TextSummary& texts,
                                             const mime::PieceList& links,
                                             const features::Arrival& arrival) const {
  const auto& ours = settings_->counters.pieces.authserv_ids;
  std::vector<mime::AuthenticationResults> believed;
  if (!ours.empty()) {
    const mime::HeaderBlock header = mime::split_header_block(message, settings_->mime);
    believed = counters::believed_results(header.fields, ours, settings_->milter.local_networks);
  }
  features::SeenMessage seen{.bytes = message,
                             .analysis = analysis,
                             .hashes = hashes,
                             .texts = texts,
                             .links = {},
                             .results = {},
                             .arrival = arrival,
                             .time = clock_.wall()};
  if (!ours.empty()) seen.results = believed;
  if (links.dropped() == 0) seen.links = links.of_type(PieceType::kLink).size();
  return features::message_features(seen);
}

bool Scanner::asks_names() const {
  if (policy_ != nullptr && policy_->rules().asks_names()) return true;
  return lists_ != nullptr && names::has_entries(*lists_->get(), settings_->policy);
}

features::MessageNames Scanner::names_of(std::string_view message,
                                         const counters::Envelope& envelope,
                                         bool whole_envelope) const {
  const mime::HeaderBlock header = mime::split_header_block(message, settings_->mime);
  mime::WorkMeter work(mime::steps_for(message.size(), settings_->mime.work_max));
  return counters::message_names({.fields = header.fields,
                                  .authserv_ids = settings_->counters.pieces.authserv_ids,
                                  .local = &settings_->milter.local_networks,
                                  .compat = settings_->mime.compat,
                                  .whole_envelope = whole_envelope},
                                 envelope, work);
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
