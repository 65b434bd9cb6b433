#include "milter/judge/hash_lookups.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "storage/protocol/codec.h"

namespace shingled::milter::judge {

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

Result<HashLookups> HashLookups::open(const Settings& settings, const storage::FuzzyStore* local,
                                      Clock& clock, Random& random, ServerNames names,
                                      ViewPlan& plan) {
  HashLookups out(settings, local, clock);
  for (const RuleOptions& rule : settings.rules) {
    out.hash_of_rule_.push_back(plan.add(rule.hash));
    if (!rule.remote.is_remote()) {
      out.remotes_.push_back(nullptr);
      continue;
    }
    auto remote = names == ServerNames::kNow
                      ? storage::client::RemoteStore::open(rule.remote, clock, random)
                      : storage::client::RemoteStore::open_by_address(rule.remote, clock, random);
    if (!remote) return remote.error().in("rule " + rule.name);
    out.remotes_.push_back(*std::move(remote));
  }
  return out;
}

std::vector<storage::client::ProbedService> HashLookups::services() const {
  std::vector<storage::client::ProbedService> out;
  for (std::size_t rule = 0; rule < remotes_.size(); ++rule) {
    if (remotes_[rule] != nullptr) out.push_back({settings_.rules[rule].name, remotes_[rule]});
  }
  return out;
}

void HashLookups::begin(const MessageView& message, rules::Facts& facts) const {
  std::vector<std::vector<mime::PartHash>> chosen;  // same index as asked()
  for (const auto& of_one_kind : message.asked()) {
    facts.hashes += of_one_kind.size();
    chosen.push_back(in_order_of_value(of_one_kind, settings_.milter.lookups_max));
  }
  for (std::size_t rule = 0; rule < settings_.rules.size(); ++rule) {
    const std::size_t kind = hash_of_rule_[rule];
    facts.unasked += message.asked()[kind].size() - chosen[kind].size();
    for (const mime::PartHash& hash : chosen[kind]) {
      rules::Lookup& lookup = facts.lookups.emplace_back();
      lookup.rule = settings_.rules[rule].name;
      lookup.rule_index = static_cast<std::uint32_t>(rule);
      lookup.hash = hash;
    }
  }
}

bool HashLookups::has_remote(const rules::Facts& facts) const {
  return std::ranges::any_of(facts.lookups, [this](const rules::Lookup& lookup) {
    return remotes_[lookup.rule_index] != nullptr;
  });
}

void HashLookups::ask_local(rules::Facts& facts) const {
  ask_local(facts, [this](auto questions, std::uint32_t now, auto answers) {
    return local_->check_batch(questions, now, answers);
  });
}

void HashLookups::try_local(rules::Facts& facts) const {
  ask_local(facts, [this](auto questions, std::uint32_t now, auto answers) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      Fingerprint asked{*questions[i].digest, std::nullopt};
      if (questions[i].shingles != nullptr) asked.shingles = *questions[i].shingles;
      auto found = local_->check_all(asked, now, 1);
      if (!found.empty()) answers[i] = found.front();
    }
    return true;
  });
}

void HashLookups::ask_local(rules::Facts& facts, const AskStore& ask) const {
  std::vector<rules::Lookup*> asking;
  std::vector<storage::Question> questions;
  for (rules::Lookup& lookup : facts.lookups) {
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
  if (local_ == nullptr || questions.empty()) return;
  std::vector<std::optional<storage::Match>> matches(questions.size());
  const TimePoint start = clock_.now();
  const bool reached = ask(questions, unix_seconds(clock_.wall()), matches);
  const TimePoint end = clock_.now();
  for (std::size_t i = 0; i < asking.size(); ++i) {
    rules::Lookup& lookup = *asking[i];
    lookup.time = std::chrono::duration_cast<std::chrono::microseconds>(end - start);
    if (!matches[i] && !reached) {
      lookup.outcome = Outcome::kUnreachable;
      lookup.error = "the storage cannot be reached";
    }
    if (!matches[i]) continue;
    lookup.outcome = Outcome::kHit;
    lookup.match = *matches[i];
    lookup.probability = matches[i]->probability();
  }
  facts.stages.local = end - start;
}

void HashLookups::ask_remotes(rules::Facts& facts, TimePoint deadline,
                              const std::stop_token& stop) const {
  const TimePoint begun = clock_.now();
  std::vector<rules::Lookup>& lookups = facts.lookups;
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
  facts.stages.remote = clock_.now() - begun;
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

}  // namespace shingled::milter::judge
