#include "milter/learning/label.h"

#include <algorithm>

#include "milter/model/vector.h"
#include "milter/names/list_evidence.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::learning {

namespace {

using Side = MessageLabel::Side;

constexpr double kClearlyAbove = 1;
constexpr double kClearlyBelow = 0.5;  // of the threshold

bool has(const history::MessageRecord& record, std::string_view symbol) {
  return std::ranges::any_of(record.evidence, [&](const history::EvidenceRecord& item) {
    return item.symbol == symbol && item.effect == rules::Evidence::Effect::kCounts;
  });
}

}  // namespace

double mark_from(const ActionOptions& actions) {
  for (const auto& threshold :
       {actions.add_header, actions.tempfail, actions.quarantine, actions.reject, actions.discard})
    if (threshold) return *threshold;
  return *ActionOptions{}.add_header;
}

MessageLabel label_of(std::uint8_t action, std::uint8_t label, const history::MessageRecord& record,
                      const ActionOptions& actions) {
  if (record.unseen) return {};
  if (label == static_cast<std::uint8_t>(history::Label::kSpam)) return {Side::kBad, true};
  if (label == static_cast<std::uint8_t>(history::Label::kHam)) return {Side::kWanted, true};
  if (record.failed || action == static_cast<std::uint8_t>(rules::Action::kTempfail)) return {};
  if (has(record, names::kAllowSymbol)) return {Side::kWanted, false};
  if (has(record, names::kBlockSymbol)) return {Side::kBad, false};
  const double score = model::score_of_others(record);
  const double mark = mark_from(actions);
  if (score >= mark + kClearlyAbove) return {Side::kBad, false};
  if (score <= mark * kClearlyBelow) return {Side::kWanted, false};
  return {};
}

}  // namespace shingled::milter::learning
