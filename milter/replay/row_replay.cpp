#include "milter/replay/row_replay.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "milter/history/row_code.h"
#include "milter/names/list_evidence.h"
#include "milter/policy/counter_feature.h"
#include "milter/policy/rule.h"

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

/// Only days before today have skipped ones: what is usual.
std::string window_text(const Window& window) {
  return window.skipped > 0 ? std::string(kUsualWindow) : to_string(window);
}

std::set<std::string> own_windows(const policy::Condition& condition) {
  std::set<std::string> out;
  for (const policy::Condition& part : condition.parts) out.merge(own_windows(part));
  if (condition.kind != policy::Condition::Kind::kAtom) return out;
  const policy::Atom& atom = condition.atom;
  using Kind = policy::Atom::Kind;
  if (atom.kind == Kind::kCount || atom.kind == Kind::kShare || atom.kind == Kind::kUsual)
    out.insert(to_string(atom.window));
  if (atom.kind == Kind::kUsual) out.insert(std::string(kUsualWindow));
  return out;
}

}  // namespace

std::vector<std::set<std::string>> windows_of(const policy::CompiledRules& rules) {
  const std::vector<std::vector<std::size_t>> needed = policy::needed_rules(rules.rules);
  std::vector<std::set<std::string>> out(rules.rules.size());
  for (const std::uint32_t rule : rules.order) {
    out[rule] = own_windows(rules.rules[rule].condition);
    for (const std::size_t other : needed[rule])
      out[rule].insert(out[other].begin(), out[other].end());
  }
  return out;
}

/// The rules for rows with certain windows.
struct RowReplay::Prepared {
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

RowReplay::RowReplay(const policy::CompiledRules& rules, const ActionOptions& actions)
    : rules_(rules), actions_(actions), symbols_(rules.symbols.size()) {
  need_of_type_.fill(-1);
  for (std::size_t i = 0; i < rules.needs.size(); ++i)
    need_of_type_[static_cast<std::size_t>(rules.needs[i].type)] = static_cast<int>(i);
}

RowReplay::~RowReplay() = default;

RowReplay::Prepared& RowReplay::prepared_for(const std::vector<Window>& windows) {
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

void RowReplay::read_counters(const Prepared& prepared, policy::CounterReadings& out) const {
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

void RowReplay::read_symbols() {
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const bool found = std::ranges::any_of(record_.evidence, [&](const auto& evidence) {
      return !evidence.policy && evidence.effect == rules::Evidence::Effect::kCounts &&
             evidence.symbol == rules_.symbols[i];
    });
    symbols_[i] = found ? Truth::kTrue : record_.incomplete ? Truth::kUnknown : Truth::kFalse;
  }
}

Action RowReplay::with_lists_of_then(Action other, Action action) const {
  for (const history::EvidenceRecord& evidence : record_.evidence) {
    if (evidence.policy || evidence.effect != rules::Evidence::Effect::kCounts) continue;
    if (evidence.symbol == names::kAllowSymbol) return Action::kPass;
    if (evidence.symbol == names::kDeliverSymbol) other = std::min(other, Action::kAddHeader);
    if (evidence.symbol == names::kBlockSymbol) other = std::max(other, action);
  }
  return other;
}

double RowReplay::score_of_others() const {
  double score = record_.score;
  for (const history::EvidenceRecord& evidence : record_.evidence) {
    if (evidence.policy && evidence.effect == rules::Evidence::Effect::kCounts)
      score -= evidence.score;
  }
  return score;
}

RowReplay::Taken RowReplay::take(const storage::sqlite::HistoryReader::View& row) {
  if (row.action >= kTrialActions || !history::decode_record(row.details, record_))
    return Taken::kBroken;
  if (record_.unseen) return Taken::kUnseen;
  action_ = static_cast<Action>(row.action);
  score_of_others_ = score_of_others();
  Prepared& prepared = prepared_for(record_.windows);
  policy::CounterReadings readings(rules_.needs.size());
  read_counters(prepared, readings);
  read_symbols();
  policy::evaluate(prepared.rules, {record_.features, readings, symbols_}, prepared.evaluation);
  return Taken::kTried;
}

const policy::Evaluation& RowReplay::evaluation() const { return prepared_.front()->evaluation; }

const std::set<std::string>& RowReplay::lacking() const { return prepared_.front()->lacking; }

RowReplay::Outcome RowReplay::with(const policy::PolicyEffect& effect) const {
  const double score = score_of_others_ + effect.score;
  Action action =
      record_.failed ? action_ : std::max(rules::choose_action(score, actions_), effect.action);
  if (effect.at_most) action = std::min(action, *effect.at_most);
  return {with_lists_of_then(action, action_), score};
}

}  // namespace shingled::milter::replay
