#include "milter/replay/rule_trial.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "config/base/byte_reader.h"
#include "milter/history/message_record.h"
#include "milter/replay/history_span.h"

namespace shingled::milter::replay {

namespace {

using rules::Action;

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

TrialCounts counts_of(std::uint8_t label, Class kind) {
  return {.all = 1,
          .spam = kind == Class::kSpam ? 1U : 0U,
          .ham = kind == Class::kHam ? 1U : 0U,
          .complained = label == static_cast<std::uint8_t>(history::Label::kSpam) ? 1U : 0U,
          .rescued = label == static_cast<std::uint8_t>(history::Label::kHam) ? 1U : 0U};
}

}  // namespace

TrialCounts counts_of_message(std::uint8_t label, Action action, bool judged) {
  return counts_of(label, class_of(label, action, judged));
}

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

double spam_share(const TrialCounts& hits, const TrialCounts& messages) {
  const auto rate = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  const double spam = rate(hits.spam, messages.spam);
  const double ham = rate(hits.ham, messages.ham);
  return spam + ham == 0 ? 0.5 : spam / (spam + ham);
}

RuleTrial::RuleTrial(const policy::CompiledRules& rules, const ActionOptions& actions)
    : rules_(rules), replay_(rules, actions) {
  report_.rules.resize(rules.rules.size());
}

void RuleTrial::add(const storage::sqlite::HistoryReader::View& row) {
  switch (replay_.take(row)) {
    case RowReplay::Taken::kBroken:
      ++report_.broken;
      return;
    case RowReplay::Taken::kUnseen:
      ++report_.unseen;
      return;
    case RowReplay::Taken::kTried:
      break;
  }
  const auto action = static_cast<Action>(row.action);
  const TrialCounts counts = counts_of_message(row.label, action, !replay_.record().failed);
  report_.messages += counts;
  if (!replay_.lacking().empty()) ++report_.other_windows;
  for (const std::string& window : replay_.lacking()) ++report_.lacking[window];
  const policy::Evaluation& evaluation = replay_.evaluation();
  for (std::size_t i = 0; i < report_.rules.size(); ++i) {
    if (evaluation.fires(i)) report_.rules[i] += counts;
  }
  const auto [other, score] = replay_.with(policy::effect_of(rules_, evaluation));
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
                     .score_from = replay_.record().score,
                     .score_to = score_to};
  const auto place = std::ranges::find_if(
      examples, [&](const TrialChange& other) { return other.time < change.time; });
  examples.insert(place, std::move(change));
  if (examples.size() > kTrialExamples) examples.pop_back();
}

namespace {

using storage::sqlite::HistoryReader;

/// What the threads share.
struct SharedWork {
  TimeSlices slices;
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> stop{false};
};

/// Takes slices until there are no more. `after`: called after each; false = stop.
Status try_slices(const std::string& file, SharedWork& work, RuleTrial& trial,
                  const std::function<bool()>& after) {
  auto reader = HistoryReader::open(file);
  if (!reader) return reader.error();
  for (;;) {
    const std::uint64_t slice = work.next.fetch_add(1);
    if (slice >= TimeSlices::kCount || work.stop) return {};
    const Status read = (*reader)->read(work.slices.at(slice), [&](const HistoryReader::View& row) {
      trial.add(row);
      return true;
    });
    work.done.fetch_add(1);
    if (!read) work.stop = true;
    if (!read) return read;
    if (!after()) {
      work.stop = true;
      return storage::stopped();
    }
  }
}

}  // namespace

Result<TrialReport> try_rules(const std::string& file, const HistoryReader::Span& span,
                              const policy::CompiledRules& rules, const ActionOptions& actions,
                              const storage::Watcher& watcher) {
  RuleTrial here(rules, actions);
  TrialReport report = here.report();
  auto reader = HistoryReader::open(file);
  if (!reader) return reader.error();
  const auto ends = (*reader)->ends();
  if (!ends) return ends.error();
  if (!*ends) return report;
  SharedWork work{.slices = TimeSlices(span, **ends)};
  if (work.slices.empty()) return report;

  RuleTrial there(rules, actions);
  Status there_done;
  Status here_done;
  {
    const std::jthread other(
        [&] { there_done = try_slices(file, work, there, [] { return true; }); });
    here_done = try_slices(file, work, here, [&] {
      return watcher({.step = "trying", .done = work.done.load(), .total = TimeSlices::kCount});
    });
  }
  if (!here_done) return here_done.error();
  if (!there_done) return there_done.error();
  report += here.report();
  report += there.report();
  return report;
}

}  // namespace shingled::milter::replay
