#include "milter/learning/survey.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "milter/history/row_code.h"
#include "milter/names/list_evidence.h"
#include "milter/promotion/decide.h"
#include "milter/replay/history_span.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::learning {

namespace {

using rules::Action;
using storage::sqlite::HistoryReader;
using Effect = rules::Evidence::Effect;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kWeek = 7 * 86'400 * kSecond;
/// As WELL_KNOWN of packaging/policy.yaml.
constexpr std::uint64_t kWantedFromFriends = 5;

/// The word that the model had then; nullopt: it had none, or a list decided.
std::optional<double> word_then(const history::MessageRecord& record) {
  std::optional<double> out;
  for (const history::EvidenceRecord& item : record.evidence) {
    if (item.effect == Effect::kCounts && item.symbol == names::kAllowSymbol) return std::nullopt;
    if (item.symbol == model::kModelSymbol) out = item.score;
  }
  return out;
}

bool write_to_each_other(const history::MessageRecord& record) {
  const auto window = std::ranges::find(record.windows, model::windows_used()[2]);
  if (window == record.windows.end()) return false;
  const auto place = static_cast<std::size_t>(window - record.windows.begin());
  for (std::size_t i = 0; i < record.pieces.size(); ++i) {
    if (record.pieces[i].type != PieceType::kSenderRecipient || !record.pieces[i].known) continue;
    const features::Sums& sums = record.sums[i * record.windows.size() + place];
    if (sums.of(model::Measure::kHam) >= kWantedFromFriends && sums.of(model::Measure::kSpam) == 0)
      return true;
  }
  return false;
}

class Surveyor {
 public:
  Surveyor(const Settings& settings, const model::ModelInForce* in_force, std::int64_t live_since,
           WallTime now)
      : actions_(settings.milter.actions), in_force_(in_force), live_since_(live_since) {
    out_.since = now.time_since_epoch().count() * kSecond - kWeek;
    if (in_force != nullptr) out_.unknown.resize(in_force->model.features.size(), 0);
  }

  void add(const HistoryReader::View& row) {
    if (out_.first == 0) out_.first = row.time;
    out_.last = row.time;
    if (!history::decode_record(row.details, record_)) return;
    const MessageLabel label = label_of(row.action, row.label, record_, actions_);
    if (label.side == MessageLabel::Side::kBad) ++out_.bad;
    if (label.side == MessageLabel::Side::kWanted) ++out_.wanted;
    if (record_.unseen) return;
    judge(row);
    if (in_force_ != nullptr && row.time >= out_.since) see();
  }

  Survey take() {
    out_.done = true;
    if (out_.messages > 0) {
      for (double& share : out_.unknown) share /= static_cast<double>(out_.messages);
      for (double& share : out_.scores) share /= static_cast<double>(out_.messages);
    }
    return std::move(out_);
  }

 private:
  /// What the word of then did, or would have done.
  void judge(const HistoryReader::View& row) {
    const auto word = word_then(record_);
    if (!word) return;
    const bool spam = row.label == static_cast<std::uint8_t>(history::Label::kSpam);
    out_.unreported += spam ? 0 : 1;
    const double others = model::score_of_others(record_);
    const Action without = rules::choose_action(others, actions_);
    const Action with = rules::choose_action(others + *word, actions_);
    if (with <= without || record_.failed) return;
    config::RuleFigures& figures = out_.figures;
    if (without == Action::kPass) {
      ++figures.messages;
      figures.reported += spam ? 1 : 0;
    }
    if (spam) return;
    figures.rescued += row.label == static_cast<std::uint8_t>(history::Label::kHam) ? 1 : 0;
    figures.correspondents += write_to_each_other(record_) ? 1U : 0U;
    figures.stopped += with > Action::kAddHeader ? 1 : 0;
    figures.unreported += live_since_ == 0 || row.time < live_since_ * kSecond ? 1 : 0;
  }

  void see() {
    ++out_.messages;
    const model::Vector vector = model::vector_of(record_);
    for (std::size_t i = 0; i < out_.unknown.size(); ++i) {
      const auto column = model::find_column(in_force_->model.features[i].name);
      if (column && std::isnan(vector[*column])) ++out_.unknown[i];
    }
    const double part =
        in_force_->score_max > 0 ? in_force_->trees.score(vector) / in_force_->score_max : 0;
    ++out_.scores[model::part_of_score(part)];
  }

  const ActionOptions& actions_;
  const model::ModelInForce* in_force_;
  std::int64_t live_since_;
  history::MessageRecord record_;
  Survey out_;
};

}  // namespace

Result<Survey> survey_history(const Settings& settings, const model::ModelInForce* in_force,
                              std::int64_t live_since, WallTime now,
                              const storage::Watcher& watcher) {
  Surveyor surveyor(settings, in_force, live_since, now);
  auto reader = HistoryReader::open(settings.history.file);
  if (!reader && reader.error().code == ErrorCode::kNotFound) return surveyor.take();
  if (!reader) return reader.error();
  const auto ends = (*reader)->ends();
  if (!ends) return ends.error();
  if (!*ends) return surveyor.take();
  constexpr std::int64_t kFortnight = 2 * kWeek;
  const std::int64_t since = now.time_since_epoch().count() * kSecond - kFortnight;
  const replay::TimeSlices slices({.since = since}, **ends);
  for (std::uint64_t slice = 0; !slices.empty() && slice < replay::TimeSlices::kCount; ++slice) {
    const Status read = (*reader)->read(slices.at(slice), [&](const HistoryReader::View& row) {
      surveyor.add(row);
      return true;
    });
    if (!read) return read.error();
    if (!watcher({.step = "reading", .done = slice, .total = replay::TimeSlices::kCount}))
      return storage::stopped();
  }
  return surveyor.take();
}

model::ModelDecision decide(const model::ModelDecision& before, const Survey& survey,
                            const PolicyOptions& policy, WallTime now) {
  using model::ModelDecision;
  using Stage = ModelDecision::Stage;
  const bool free = before.by != ModelDecision::By::kPerson && survey.done &&
                    policy.model.mode == ModelMode::kShadow &&
                    policy.promote != PolicyPromote::kOff;
  if (!free) return before;
  const bool good = promotion::is_good(survey.figures, survey.unreported);
  const bool turned = promotion::has_turned(survey.figures, survey.unreported);
  Stage stage = before.stage;
  const auto rest = std::chrono::duration_cast<std::chrono::seconds>(promotion::kRest).count();
  const std::int64_t seconds = now.time_since_epoch().count();
  if (stage == Stage::kLive && policy.promote == PolicyPromote::kAuto) {
    if (turned) stage = Stage::kReturned;
  } else if (stage != Stage::kReturned || seconds - before.since >= rest) {
    stage = !good                                    ? Stage::kShadow
            : policy.promote == PolicyPromote::kAuto ? Stage::kLive
                                                     : Stage::kProposed;
  }
  if (stage == before.stage) return before;
  return {ModelDecision::By::kFigures, stage, seconds};
}

}  // namespace shingled::milter::learning
