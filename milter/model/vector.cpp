#include "milter/model/vector.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "milter/history/history_recorder.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::model {

namespace {

using features::Sums;
using Kind = Column::Kind;

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
/// A score has hundredths, so that the order in which it was summed does not matter.
constexpr double kScoreSteps = 100;

/// A column of a counter, without what only people read.
struct SumColumn {
  std::uint16_t place = 0;
  std::uint8_t window = 0;
  Kind kind{};
  Measure measure{};
};

std::span<const SumColumn> sums_of(PieceType type) {
  static const auto all = [] {
    std::array<std::vector<SumColumn>, 256> out;
    for (const PieceTypeRow& row : piece_types())
      for (const std::uint16_t place : columns_of(row.type)) {
        const Column& column = columns()[place];
        out[static_cast<std::size_t>(row.type)].push_back(
            {place, static_cast<std::uint8_t>(column.window), column.kind, column.measure});
      }
    return out;
  }();
  return all[static_cast<std::size_t>(type)];
}

float of_message(const Column& column, const features::FeatureValues& features, double score) {
  if (column.kind == Kind::kScore)
    return static_cast<float>(std::round(score * kScoreSteps) / kScoreSteps);
  if (!features.is_known(column.feature)) return kUnknown;
  if (column.kind == Kind::kWord) return features.word(column.feature) == column.word ? 1.0F : 0.0F;
  return static_cast<float>(features.number(column.feature));
}

}  // namespace

VectorMaker::VectorMaker(const features::FeatureValues& features, double score,
                         std::span<const Window> windows, bool said)
    : out_(columns().size(), kUnknown),
      places_(features::places_of(windows_used(), windows)),
      windows_(windows.size()),
      said_(said) {
  for (const std::uint16_t place : columns_of_message())
    out_[place] = of_message(columns()[place], features, score);
}

void VectorMaker::add(PieceType type, std::span<const Sums> sums) {
  if (sums.size() != windows_) return;
  for (const SumColumn& column : sums_of(type)) {
    const std::size_t window = places_[column.window];
    if (window >= windows_ || (is_said(column.measure) && !said_)) continue;
    const Sums& counted = sums[window];
    auto value = static_cast<float>(counted.of(column.measure));
    float& out = out_[column.place];
    if (column.kind == Kind::kShare) {
      const std::uint64_t mass = counted.of(Measure::kMass);
      if (mass == 0) continue;
      value /= static_cast<float>(mass);
    }
    if (std::isnan(out)) {
      out = value;
    } else {
      out = column.kind == Kind::kLeast ? std::min(out, value) : std::max(out, value);
    }
  }
}

features::CounterNeeds needs_of_model() {
  HistoryOptions options;
  options.windows.clear();
  for (const Window& window : windows_used())
    if (window != history::kSaidWindow) options.windows.push_back(to_string(window));
  return history::history_needs(options);
}

Vector vector_of(const rules::Facts& facts) {
  static const features::CounterNeeds nothing;
  const features::CounterNeeds& asked =
      facts.counters.needs == nullptr ? nothing : *facts.counters.needs;
  const std::vector<Window> windows = history::windows_of_all(asked);
  const bool said = std::ranges::any_of(facts.counters.pieces, &rules::PieceCounts::said_known);
  VectorMaker maker(facts.features, rules::score_of(facts), windows, said);
  std::vector<Sums> sums(windows.size());
  for (const rules::PieceCounts& counts : facts.counters.pieces) {
    const features::CounterNeed* const need = features::find_need(asked, counts.piece.type);
    if (need == nullptr || !history::is_known(counts, *need)) continue;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const auto place = std::ranges::find(need->windows, windows[i]) - need->windows.begin();
      const auto at = static_cast<std::size_t>(place);
      sums[i] = at < counts.sums.size() ? counts.sums[at] : Sums{};
    }
    maker.add(counts.piece.type, sums);
  }
  return maker.take();
}

double score_of_others(const history::MessageRecord& record) {
  double score = record.score;
  for (const history::EvidenceRecord& item : record.evidence)
    if (item.symbol == kModelSymbol && item.effect == rules::Evidence::Effect::kCounts)
      score -= item.score;
  return score;
}

Vector vector_of(const history::MessageRecord& record) {
  VectorMaker maker(record.features, score_of_others(record), record.windows, record.said_known);
  const std::size_t windows = record.windows.size();
  for (std::size_t i = 0; i < record.pieces.size(); ++i) {
    if (!record.pieces[i].known) continue;
    maker.add(record.pieces[i].type, std::span(record.sums).subspan(i * windows, windows));
  }
  return maker.take();
}

}  // namespace shingled::milter::model
