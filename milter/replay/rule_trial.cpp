#include "milter/replay/rule_trial.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "config/base/byte_reader.h"
#include "milter/history/message_row.h"
#include "milter/history/row_code.h"
#include "milter/names/list_evidence.h"
#include "milter/policy/counter_feature.h"

namespace shingled::milter::replay {

namespace {

using policy::AtomCode;
using policy::Truth;
using rules::Action;
using storage::counters::Window;

/// A place of a window that no reading has, so that the value is unknown.
constexpr std::uint32_t kNoWindow = std::numeric_limits<std::uint32_t>::max() / 2;
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
/// The windows change with the settings only, so that few sets of them are in a history.
constexpr std::size_t kPreparedMax = 16;

enum class Class : std::uint8_t { kSpam, kHam, kNeither };

Class class_of(std::uint8_t label, Action action, bool judged) {
  switch (static_cast<history::Label>(label)) {
    case history::Label::kSpam:
      return Class::kSpam;
    case history::Label::kHam:
      return Class::kHam;
    case history::Label::kNone:
      break;
  }
  if (!judged || action == Action::kTempfail) return Class::kNeither;
  return action == Action::kPass ? Class::kHam : Class::kSpam;
}

/// Only days before today have skipped ones: what is usual.
std::string window_text(const Window& window) {
  return window.skipped > 0 ? std::string(kUsualWindow) : to_string(window);
}

TrialCounts counts_of(std::uint8_t label, Class kind) {
  return {.all = 1,
          .spam = kind == Class::kSpam ? 1U : 0U,
          .ham = kind == Class::kHam ? 1U : 0U,
          .complained = label == static_cast<std::uint8_t>(history::Label::kSpam) ? 1U : 0U,
          .rescued = label == static_cast<std::uint8_t>(history::Label::kHam) ? 1U : 0U};
}

}  // namespace

TrialCounts& TrialCounts::operator+=(const TrialCounts& more) {
  all += more.all;
  spam += more.spam;
  ham += more.ham;
  complained += more.complained;
  rescued += more.rescued;
  return *this;
}

TrialReport& TrialReport::operator+=(const TrialReport& more) {
  messages += more.messages;
  broken += more.broken;
  unseen += more.unseen;
  other_windows += more.other_windows;
  for (const auto& [window, count] : more.lacking) lacking[window] += count;
  rules.resize(std::max(rules.size(), more.rules.size()));
  for (std::size_t i = 0; i < more.rules.size(); ++i) rules[i] += more.rules[i];
  for (std::size_t from = 0; from < kTrialActions; ++from) {
    for (std::size_t to = 0; to < kTrialActions; ++to) changes[from][to] += more.changes[from][to];
    before[from] += more.before[from];
    after[from] += more.after[from];
  }
  examples.insert(examples.end(), more.examples.begin(), more.examples.end());
  std::ranges::sort(examples, std::greater<>(), &TrialChange::time);
  if (examples.size() > kTrialExamples) examples.resize(kTrialExamples);
  return *this;
}

std::set<std::string> windows_of(const policy::Condition& condition) {
  std::set<std::string> out;
  for (const policy::Condition& part : condition.parts) out.merge(windows_of(part));
  if (condition.kind != policy::Condition::Kind::kAtom) return out;
  const policy::Atom& atom = condition.atom;
  using Kind = policy::Atom::Kind;
  if (atom.kind == Kind::kCount || atom.kind == Kind::kShare || atom.kind == Kind::kUsual)
    out.insert(to_string(atom.window));
  if (atom.kind == Kind::kUsual) out.insert(std::string(kUsualWindow));
  return out;
}

double spam_share(const TrialCounts& hits, const TrialCounts& messages) {
  const auto rate = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  const double spam = rate(hits.spam, messages.spam);
  const double ham = rate(hits.ham, messages.ham);
  return spam + ham == 0 ? 0.5 : spam / (spam + ham);
}

/// The rules for rows with certain windows.
struct RuleTrial::Prepared {
  Prepared(const policy::CompiledRules& given, const std::vector<Window>& row_windows)
      : windows(row_windows), rules(given), evaluation(rules) {
    for (const policy::CounterNeed& need : rules.needs) {
      std::vector<std::size_t>& places = columns.emplace_back();
      for (const Window& window : need.windows) {
        const auto found = std::ranges::find(windows, window);
        const bool has = found != windows.end();
        places.push_back(has ? static_cast<std::size_t>(found - windows.begin()) : kNowhere);
        if (!has) lacking.insert(window_text(window));
      }
    }
    for (AtomCode& atom : rules.atoms) hide_windows(atom);
  }

  /// A comparison with a window that the rows do not have is unknown.
  void hide_windows(AtomCode& atom) const {
    if (atom.kind < AtomCode::Kind::kCount) return;
    const std::vector<std::size_t>& places = columns[atom.need];
    bool hidden = places[atom.window] == kNowhere;
    if (atom.kind == AtomCode::Kind::kUsual) {
      const auto days = std::span(places).subspan(atom.usual, policy::kUsualDays);
      hidden = hidden || std::ranges::find(days, kNowhere) != days.end();
    }
    if (hidden) atom.window = kNoWindow;
  }

  std::vector<Window> windows;
  policy::CompiledRules rules;
  std::vector<std::vector<std::size_t>> columns;  ///< of each need: the place of each window
  std::set<std::string> lacking;
  policy::Evaluation evaluation;
};

RuleTrial::RuleTrial(const policy::CompiledRules& rules, const ActionOptions& actions)
    : rules_(rules), actions_(actions), symbols_(rules.symbols.size()) {
  need_of_type_.fill(-1);
  for (std::size_t i = 0; i < rules.needs.size(); ++i)
    need_of_type_[static_cast<std::size_t>(rules.needs[i].type)] = static_cast<int>(i);
  report_.rules.resize(rules.rules.size());
}

RuleTrial::~RuleTrial() = default;

RuleTrial::Prepared& RuleTrial::prepared_for(const std::vector<Window>& windows) {
  const auto found = std::ranges::find_if(
      prepared_, [&](const auto& prepared) { return prepared->windows == windows; });
  if (found == prepared_.end()) {
    if (prepared_.size() == kPreparedMax) prepared_.pop_back();
    prepared_.insert(prepared_.begin(), std::make_unique<Prepared>(rules_, windows));
  } else if (found != prepared_.begin()) {
    std::rotate(prepared_.begin(), found, found + 1);
  }
  return *prepared_.front();
}

void RuleTrial::read_counters(const Prepared& prepared, policy::CounterReadings& out) const {
  const std::size_t windows = record_.windows.size();
  for (std::size_t i = 0; i < record_.pieces.size(); ++i) {
    const history::PieceRecord& piece = record_.pieces[i];
    const int need = need_of_type_[static_cast<std::size_t>(piece.type)];
    if (need < 0) continue;
    policy::PieceReading reading;
    reading.said_known = record_.said_known;
    if (piece.known) {
      for (const std::size_t place : prepared.columns[static_cast<std::size_t>(need)]) {
        reading.sums.push_back(place == kNowhere ? policy::Sums{}
                                                 : record_.sums[i * windows + place]);
        reading.sums.back().recipients = record_.recipients;
      }
    }
    out.add(static_cast<std::size_t>(need), std::move(reading));
  }
  if (!record_.left_out) return;
  for (std::size_t need = 0; need < rules_.needs.size(); ++need)
    if (policy::has_several(rules_.needs[need].type)) out.add(need, {});
}

void RuleTrial::read_symbols() {
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const bool found = std::ranges::any_of(record_.evidence, [&](const auto& evidence) {
      return !evidence.policy && evidence.effect == rules::Evidence::Effect::kCounts &&
             evidence.symbol == rules_.symbols[i];
    });
    symbols_[i] = found ? Truth::kTrue : record_.incomplete ? Truth::kUnknown : Truth::kFalse;
  }
}

Action RuleTrial::with_lists_of_then(Action other, Action action) const {
  for (const history::EvidenceRecord& evidence : record_.evidence) {
    if (evidence.policy || evidence.effect != rules::Evidence::Effect::kCounts) continue;
    if (evidence.symbol == names::kAllowSymbol) return Action::kPass;
    if (evidence.symbol == names::kDeliverSymbol) other = std::min(other, Action::kAddHeader);
    if (evidence.symbol == names::kBlockSymbol) other = std::max(other, action);
  }
  return other;
}

double RuleTrial::score_of_others() const {
  double score = record_.score;
  for (const history::EvidenceRecord& evidence : record_.evidence) {
    if (evidence.policy && evidence.effect == rules::Evidence::Effect::kCounts)
      score -= evidence.score;
  }
  return score;
}

void RuleTrial::add(const storage::sqlite::HistoryReader::View& row) {
  if (row.action >= kTrialActions || !history::decode_record(row.details, record_)) {
    ++report_.broken;
    return;
  }
  if (record_.unseen) {
    ++report_.unseen;
    return;
  }
  const auto action = static_cast<Action>(row.action);
  const TrialCounts counts = counts_of(row.label, class_of(row.label, action, !record_.failed));
  report_.messages += counts;

  Prepared& prepared = prepared_for(record_.windows);
  if (!prepared.lacking.empty()) ++report_.other_windows;
  for (const std::string& window : prepared.lacking) ++report_.lacking[window];
  policy::CounterReadings readings(rules_.needs.size());
  read_counters(prepared, readings);
  read_symbols();
  policy::evaluate(prepared.rules, {record_.features, readings, symbols_}, prepared.evaluation);
  for (std::size_t i = 0; i < report_.rules.size(); ++i) {
    if (prepared.evaluation.fires(i)) report_.rules[i] += counts;
  }

  const policy::PolicyEffect effect = policy::effect_of(prepared.rules, prepared.evaluation);
  const double score = score_of_others() + effect.score;
  Action other =
      record_.failed ? action : std::max(rules::choose_action(score, actions_), effect.action);
  if (effect.at_most) other = std::min(other, *effect.at_most);
  other = with_lists_of_then(other, action);
  for (std::size_t i = 0; i < kTrialActions; ++i) {
    if (i <= row.action) report_.before[i] += counts;
    if (i <= static_cast<std::size_t>(other)) report_.after[i] += counts;
  }
  if (other != action) count_change(row, other, score);
}

void RuleTrial::count_change(const storage::sqlite::HistoryReader::View& row, Action to,
                             double score_to) {
  ++report_.changes[row.action][static_cast<std::size_t>(to)];
  std::vector<TrialChange>& examples = report_.examples;
  if (examples.size() == kTrialExamples && examples.back().time >= row.time) return;
  TrialChange change{.time = row.time,
                     .queue_id = std::string(as_text(row.queue_id)),
                     .from = static_cast<Action>(row.action),
                     .to = to,
                     .score_from = record_.score,
                     .score_to = score_to};
  const auto place = std::ranges::find_if(
      examples, [&](const TrialChange& other) { return other.time < change.time; });
  examples.insert(place, std::move(change));
  if (examples.size() > kTrialExamples) examples.pop_back();
}

}  // namespace shingled::milter::replay
