#include "milter/counters/message_counter.h"

#include <algorithm>
#include <optional>

namespace shingled::milter::counters {

using storage::counters::Amounts;
using storage::counters::Measure;

CountThresholds CountThresholds::of(const CounterOptions& options, const ActionOptions& actions) {
  return {.judge = options.judge,
          .ham_below = options.ham_below,
          .spam_from = options.spam_score(actions)};
}

Amounts judged_amounts(const rules::Facts& facts, const rules::Verdict& verdict,
                       const CountThresholds& thresholds, std::uint64_t recipients) {
  const double score = thresholds.judge == CounterJudge::kFinal
                           ? verdict.score
                           : rules::score_without_counters(facts);
  Amounts amounts;
  amounts.of(Measure::kMass) = 1;
  amounts.of(Measure::kRecipients) = recipients;
  amounts.of(Measure::kBytes) = facts.bytes;
  if (thresholds.spam_from && score >= *thresholds.spam_from) {
    if (verdict.accepted.empty()) amounts.of(Measure::kSpam) = 1;
  } else if (score < thresholds.ham_below && !verdict.failed) {
    amounts.of(Measure::kHam) = 1;
  }
  return amounts;
}

using storage::counters::CounterStore;
using storage::counters::Direction;
using storage::counters::Pair;
using storage::counters::Window;

namespace {

/// Puts what people said to what was counted. `alone`: nothing is counted in this window.
void say(const storage::people::PeopleSums& said, bool alone, std::size_t recipients,
         features::Sums& out) {
  out.of(Measure::kComplainers) = said.complainers;
  out.of(Measure::kRescuers) = said.rescuers;
  out.of(Measure::kOwnComplaint) = said.own_complaint;
  out.of(Measure::kOwnRescue) = said.own_rescue;
  out.recipients = recipients;
  if (!alone) return;
  out.of(Measure::kComplaint) = said.complaints;
  out.of(Measure::kRescue) = said.rescues;
}

}  // namespace

void CountingState::report(MetricReport& report) const {
  report_counters(events, report);
  const auto stage = [&](const char* name, const Histogram& times) {
    report.histogram(
        {"shingled_counting_stage_seconds", "Time of what is done to count a message."},
        times.read(), {{"stage", name}});
  };
  stage("pieces", pieces);
  stage("ask", ask);
  stage("add", add);
  report.gauge({"shingled_counting_deferred", "Messages that were deferred and are remembered."},
               std::uint64_t{retries.size()});
}

std::vector<std::uint64_t> MessageCounter::persons_of(
    std::span<const std::string> recipients) const {
  std::vector<std::uint64_t> out;
  if (!asks_people_ || !setup_.person) return out;
  for (const std::string& recipient : recipients) out.push_back(setup_.person(recipient));
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

rules::CounterFacts MessageCounter::ask(std::span<const mime::Piece> pieces,
                                        std::span<const Pair> keys, TimePoint deadline,
                                        std::span<const std::uint64_t> persons, bool proved) const {
  Asked asked;
  rules::CounterFacts& facts = asked.facts;
  if (asks_.empty()) return std::move(asked.facts);
  facts.needs = needs_;
  const TimePoint start = clock_.now();
  for (const CounterAsk& what : asks_) ask(what, pieces, keys, deadline, asked);
  if (facts.pieces.empty()) return std::move(asked.facts);
  if (asks_people_) ask_people(persons, proved, deadline, asked);
  facts.time = clock_.now() - start;
  const auto unknown = std::ranges::count_if(
      facts.pieces, [](const rules::PieceCounts& one) { return !one.known || !one.lost.empty(); });
  state_.ask.observe(facts.time);
  state_.events.unknown.add(static_cast<std::uint64_t>(unknown));
  // Some alone are those of a damaged file, which the store says by itself.
  log_outage(state_.asking, "ask", asked.counted ? "" : "counters are unknown");
  return std::move(asked.facts);
}

void MessageCounter::ask(const CounterAsk& what, std::span<const mime::Piece> pieces,
                         std::span<const Pair> keys, TimePoint deadline, Asked& out) const {
  CounterQuestion question = question_of(setup_.site, pieces, keys, what.types);
  if (question.keys.empty()) return;
  std::optional<storage::counters::CounterAnswers> answers;
  if (const auto store = setup_.store.lock())
    answers = store->ask(question.keys, what.windows, deadline);
  rules::CounterFacts& facts = out.facts;
  facts.pieces.reserve(facts.pieces.size() + question.keys.size());
  out.keys.insert(out.keys.end(), question.keys.begin(), question.keys.end());
  for (std::size_t i = 0; i < question.keys.size(); ++i) {
    rules::PieceCounts& counts = facts.pieces.emplace_back();
    counts.piece = std::move(question.pieces[i]);
    if (!answers) continue;
    const auto& places = what.places[static_cast<std::size_t>(counts.piece.type)];
    const auto is_known = [&](std::size_t place) {
      return place != kNoPlace && answers->is_known(i, place);
    };
    counts.known = answers->known[i] || std::ranges::any_of(places, is_known);
    if (!counts.known) continue;
    out.counted = true;
    counts.sums.reserve(places.size());
    for (const std::size_t place : places)
      counts.sums.push_back(
          {.counted = place == kNoPlace ? Amounts{} : answers->of(i, place), .said = {}});
    if (answers->known[i] || std::ranges::all_of(places, is_known)) continue;
    for (const std::size_t place : places) counts.lost.push_back(!is_known(place));
  }
}

void MessageCounter::ask_people(std::span<const std::uint64_t> persons, bool proved,
                                TimePoint deadline, Asked& out) const {
  const auto people = setup_.people.lock();
  if (people == nullptr) return;
  std::vector<rules::PieceCounts>& pieces = out.facts.pieces;
  std::vector<std::uint64_t> signs;
  std::vector<std::pair<std::size_t, const features::CounterNeed*>> asked;  // their pieces
  const features::CounterNeed* need = nullptr;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    // Most pieces follow others of their type.
    if (need == nullptr || need->type != pieces[i].piece.type)
      need = features::find_need(*needs_, pieces[i].piece.type);
    if (need == nullptr || !need->said) continue;
    signs.push_back(storage::people::sign_of(out.keys[i], proved));
    asked.emplace_back(i, need);
  }
  if (signs.empty()) return;
  const auto voices = people->ask(signs, deadline);
  log_outage(state_.people, "people", voices ? std::string_view() : voices.error().message);
  if (!voices) return;
  std::vector<storage::people::PeopleSums> sums;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    rules::PieceCounts& counts = pieces[asked[k].first];
    const std::vector<Window>& windows = asked[k].second->windows;
    counts.said_known = true;
    if (counts.sums.empty()) {  // its counts are unknown
      counts.sums.resize(windows.size());
      counts.lost.assign(windows.size(), true);
      counts.known = true;
    }
    if ((*voices)[k].empty()) continue;
    sums.assign(windows.size(), {});
    storage::people::sum_voices((*voices)[k], windows, clock_.wall(), persons, setup_.weights,
                                sums);
    for (std::size_t w = 0; w < windows.size(); ++w)
      say(sums[w], is_long(windows[w]), persons.size(), counts.sums[w]);
  }
}

bool MessageCounter::add(std::span<const mime::Piece> pieces, std::span<const Pair> keys,
                         const Amounts& amounts) const {
  const auto store = setup_.store.lock();
  if (store == nullptr || pieces.empty()) return false;
  CountedKeys counted = counted_keys(keys);
  counted.addition.amounts = amounts;
  const TimePoint start = clock_.now();
  const Status added = store->add(counted.addition, start + setup_.options.shared.redis.timeout);
  state_.add.observe(clock_.now() - start);
  state_.events.dropped.add(counted.dropped);
  if (!added) state_.events.failures.add();
  log_outage(state_.adding, "add", added ? std::string_view() : added.error().message);
  if (added && setup_.name) name_pieces(pieces, keys, *store);
  return added.has_value();
}

void MessageCounter::name_pieces(std::span<const mime::Piece> pieces, std::span<const Pair> keys,
                                 CounterStore& store) const {
  constexpr storage::counters::Window kToday{storage::counters::Period::Unit::kDay, 1, 0};
  const CounterQuestion question = question_of(setup_.site, pieces, keys, TypeSet().set());
  const auto answers = store.ask(question.keys, std::span(&kToday, 1),
                                 clock_.now() + setup_.options.shared.redis.timeout);
  for (std::size_t i = 0; i < question.keys.size(); ++i) {
    const bool frequent =
        answers.is_known(i, 0) && answers.of(i, 0).of(Measure::kMass) >= setup_.options.names_mass;
    const mime::Piece& piece = question.pieces[i];
    if (frequent) setup_.name(piece.type, question.keys[i].shingle, text_of(piece));
  }
}

void MessageCounter::log_outage(Guarded<Outage>& outage, const char* what,
                                std::string_view error) const {
  const bool changed = error.empty() ? outage.lock()->end() : outage.lock()->begin();
  if (!changed) return;
  if (error.empty()) {
    logger_.info(LogLine("counters_back").field("call", what));
  } else {
    logger_.error(LogLine("counters_away").field("call", what).field("error", error));
  }
}

}  // namespace shingled::milter::counters
