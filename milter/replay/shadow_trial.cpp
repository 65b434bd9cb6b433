#include "milter/replay/shadow_trial.h"

#include <algorithm>
#include <utility>

#include "milter/history/message_record.h"
#include "milter/replay/history_span.h"

namespace shingled::milter::replay {

namespace {

using rules::Action;
using storage::counters::Measure;
using storage::counters::Window;

// As WELL_KNOWN of packaging/policy.yaml.
constexpr std::uint64_t kWantedFromFriendsMin = 5;

/// How far back a window looks. Those of what people said have no counters.
std::uint64_t reach_of(const Window& window) {
  if (window.skipped > 0 || window == history::kSaidWindow) return 0;
  const bool days = window.unit == storage::counters::Period::Unit::kDay;
  return std::uint64_t{window.count} * (days ? storage::counters::kSlotsPerDay : 1);
}

/// Whether the sender writes to one of the recipients, and was never spam.
bool write_to_each_other(const history::MessageRecord& record) {
  const auto longest = std::ranges::max_element(record.windows, {}, reach_of);
  if (longest == record.windows.end() || reach_of(*longest) == 0) return false;
  const auto window = static_cast<std::size_t>(longest - record.windows.begin());
  for (std::size_t i = 0; i < record.pieces.size(); ++i) {
    const history::PieceRecord& piece = record.pieces[i];
    if (piece.type != PieceType::kSenderRecipient || !piece.known) continue;
    const features::Sums& sums = record.sums[i * record.windows.size() + window];
    if (sums.of(Measure::kHam) >= kWantedFromFriendsMin && sums.of(Measure::kSpam) == 0)
      return true;
  }
  return false;
}

/// Whether a rule can make a verdict stronger.
bool pushes(const policy::Rule& rule) { return rule.score.value_or(0) > 0 || rule.action; }

}  // namespace

ShadowTrial::ShadowTrial(const policy::CompiledRules& rules, std::vector<JudgedRule> judged,
                         const ActionOptions& actions)
    : rules_(rules),
      judged_(std::move(judged)),
      is_promoted_(rules.rules.size()),
      windows_(windows_of(rules)),
      replay_(rules, actions) {
  for (const JudgedRule& one : judged_) {
    is_promoted_[one.rule] = one.promoted_at.has_value();
    any_promoted_ = any_promoted_ || one.promoted_at;
  }
  report_.figures.resize(judged_.size());
}

policy::PolicyEffect ShadowTrial::effect(bool with_promoted) const {
  policy::PolicyEffect out;
  for (std::size_t i = 0; i < rules_.rules.size(); ++i) {
    const policy::Rule& rule = rules_.rules[i];
    if (!rule.shadow && replay_.evaluation().fires(i) && (with_promoted || !is_promoted_[i]))
      policy::add_effect(rule, out);
  }
  return out;
}

void ShadowTrial::add(const storage::sqlite::HistoryReader::View& row) {
  const RowReplay::Taken taken = replay_.take(row);
  if (taken == RowReplay::Taken::kBroken) ++report_.broken;
  if (taken != RowReplay::Taken::kTried) return;
  const bool spam = row.label == static_cast<std::uint8_t>(history::Label::kSpam);
  ++report_.messages;
  report_.unreported += spam ? 0 : 1;
  for (const std::string& window : replay_.lacking()) ++lacking_[window];

  const policy::PolicyEffect live = effect(true);
  const Action with_live = replay_.with(live).action;
  const Action as_written = any_promoted_ ? replay_.with(effect(false)).action : with_live;
  std::optional<Row> seen;  // only made for messages that a rule changes
  for (std::size_t i = 0; i < judged_.size(); ++i) {
    const std::size_t rule = judged_[i].rule;
    if (!replay_.evaluation().fires(rule) || !pushes(rules_.rules[rule])) continue;
    Action without = as_written;
    Action with = with_live;
    if (!judged_[i].promoted_at) {
      policy::PolicyEffect added = live;
      policy::add_effect(rules_.rules[rule], added);
      without = with_live;
      with = replay_.with(added).action;
    }
    if (with <= without) continue;
    if (!seen) seen = Row{row.label, row.time, write_to_each_other(replay_.record())};
    judge(i, without, with, *seen);
  }
}

void ShadowTrial::judge(std::size_t judged, Action without, Action with, const Row& row) {
  config::RuleFigures& figures = report_.figures[judged];
  const bool spam = row.label == static_cast<std::uint8_t>(history::Label::kSpam);
  if (without == Action::kPass) {
    ++figures.messages;
    figures.reported += spam ? 1 : 0;
  }
  if (spam) return;
  figures.rescued += row.label == static_cast<std::uint8_t>(history::Label::kHam) ? 1 : 0;
  figures.correspondents += row.correspondents ? 1 : 0;
  figures.stopped += with > Action::kAddHeader ? 1 : 0;
  const auto& promoted_at = judged_[judged].promoted_at;
  constexpr std::int64_t kSecond = 1'000'000;
  const bool before = !promoted_at || row.time < promoted_at->time_since_epoch().count() * kSecond;
  figures.unreported += before ? 1 : 0;
}

ShadowTrial::Report ShadowTrial::report() const {
  Report out = report_;
  for (const JudgedRule& one : judged_) {
    auto& lacking = out.lacking.emplace_back();
    for (const auto& [window, count] : lacking_)
      if (windows_[one.rule].contains(window)) lacking.emplace(window, count);
  }
  return out;
}

namespace {

using storage::sqlite::HistoryReader;

Status read_slices(HistoryReader& reader, const TimeSlices& slices, ShadowTrial& trial,
                   const storage::Watcher& watcher) {
  std::uint64_t rows = 0;
  for (std::uint64_t slice = 0; slice < TimeSlices::kCount; ++slice) {
    const storage::WorkDone work{.step = "judging", .done = slice, .total = TimeSlices::kCount};
    bool go_on = true;
    const Status read = reader.read(slices.at(slice), [&](const HistoryReader::View& row) {
      trial.add(row);
      go_on = ++rows % kJudgeEvery != 0 || watcher(work);
      return go_on;
    });
    if (!read) return read;
    if (!go_on || !watcher(work)) return storage::stopped();
  }
  return {};
}

}  // namespace

Result<HistoryReport> judge_history(const std::string& file, const policy::CompiledRules& rules,
                                    const std::vector<JudgedRule>& judged,
                                    const ActionOptions& actions, const storage::Watcher& watcher) {
  auto reader = HistoryReader::open(file);
  if (!reader) return reader.error();
  const auto ends = (*reader)->ends();
  if (!ends) return ends.error();
  ShadowTrial trial(rules, judged, actions);
  HistoryReport out;
  if (*ends) {
    out.first = WallTime(
        std::chrono::floor<std::chrono::seconds>(std::chrono::microseconds((*ends)->first)));
    if (Status read = read_slices(**reader, TimeSlices({}, **ends), trial, watcher); !read)
      return read.error();
  }
  out.trial = trial.report();
  return out;
}

}  // namespace shingled::milter::replay
