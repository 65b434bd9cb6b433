#include "milter/policy/atom_code.h"

#include <algorithm>

namespace shingled::milter::policy {

namespace {

constexpr std::uint32_t kDaySeconds =
    storage::counters::kSlotSeconds * storage::counters::kSlotsPerDay;

bool compares(Operator op, Wide left, Wide right) {
  switch (op) {
    case Operator::kAtLeast:
      return left >= right;
    case Operator::kMore:
      return left > right;
    case Operator::kAtMost:
      return left <= right;
    case Operator::kLess:
      return left < right;
    case Operator::kEqual:
      return left == right;
    case Operator::kNotEqual:
      break;
  }
  return left != right;
}

/// The two sides of a comparison, multiplied so that they are whole. The greatest factors are
/// 2^63 (counts), 2^63 (millionths of a number), 2^40 (millionths of a factor) and 2^21 (seconds),
/// so that no product needs more than 2^126.
struct Sides {
  Wide left = 0;
  Wide right = 0;
};

Sides sides_of(const AtomCode& atom, const PieceValue& value) {
  switch (atom.kind) {
    case AtomCode::Kind::kShare:
      return {Wide{value.count} * 100 * kMillion, atom.limit * value.whole};
    case AtomCode::Kind::kUsual:
      return {Wide{value.count} * kMillion * kDaySeconds * value.usual_days,
              atom.limit * value.usual_sum * atom.window_seconds};
    case AtomCode::Kind::kCount:
    case AtomCode::Kind::kNumber:
    case AtomCode::Kind::kWord:
    case AtomCode::Kind::kName:
      break;
  }
  return {Wide{value.count} * kMillion, atom.limit};
}

/// Whether there is enough to compare at all.
bool is_believed(const AtomCode& atom, const PieceValue& value) {
  return atom.kind != AtomCode::Kind::kShare || value.whole >= atom.whole_min;
}

}  // namespace

PieceValue value_of(const AtomCode& atom, const PieceReading& reading) {
  PieceValue value;
  const std::size_t last =
      atom.kind == AtomCode::Kind::kUsual ? atom.usual + kUsualDays - 1 : atom.window;
  if (reading.sums.size() <= std::max<std::size_t>(last, atom.window)) return value;
  if (atom.said && !reading.said_known) return value;
  const auto is_lost = [&](std::size_t window) {
    return !atom.said && window < reading.lost.size() && reading.lost[window];
  };
  if (is_lost(atom.window)) return value;
  if (atom.kind == AtomCode::Kind::kUsual) {
    for (std::uint32_t day = 0; day < kUsualDays; ++day)
      if (is_lost(atom.usual + day)) return value;
  }
  const Sums& sums = reading.sums[atom.window];
  value.known = true;
  value.count = sums.of(atom.measure);
  if (atom.kind == AtomCode::Kind::kShare)
    value.whole = is_own(atom.measure) ? sums.recipients : sums.of(atom.whole);
  if (atom.kind != AtomCode::Kind::kUsual) return value;
  for (std::uint32_t day = 0; day < kUsualDays; ++day) {
    const Sums& of_day = reading.sums[atom.usual + day];
    const std::uint64_t count = of_day.of(atom.measure);
    if (count == 0 && of_day.is_zero()) continue;
    value.usual_sum = std::min(value.usual_sum + count, storage::counters::kCountMax);
    value.usual_days = day + 1;  // back to the day on which it was first seen
  }
  value.known = value.usual_days > 0;
  return value;
}

Truth holds(const AtomCode& atom, const PieceValue& value) {
  if (!value.known) return Truth::kUnknown;
  if (!is_believed(atom, value)) return Truth::kFalse;
  const Sides sides = sides_of(atom, value);
  return truth_of(compares(atom.op, sides.left, sides.right));
}

bool is_stronger(const AtomCode& atom, const PieceValue& a, const PieceValue& b) {
  if (is_believed(atom, a) != is_believed(atom, b)) return is_believed(atom, a);
  const bool less = atom.op == Operator::kLess || atom.op == Operator::kAtMost;
  const PieceValue& great = less ? b : a;
  const PieceValue& small = less ? a : b;
  // Ratios, by multiplying with the other's denominator.
  if (atom.kind == AtomCode::Kind::kShare && (great.whole != 0 || small.whole != 0))
    return Wide{great.count} * small.whole > Wide{small.count} * great.whole;
  if (atom.kind == AtomCode::Kind::kUsual) {
    const auto ratio = [](const PieceValue& value) {
      return static_cast<long double>(value.count) * value.usual_days /
             std::max<long double>(static_cast<long double>(value.usual_sum), 0.001L);
    };
    return ratio(great) > ratio(small);
  }
  return great.count > small.count;
}

bool is_near(const AtomCode& atom, const PieceValue& value, bool wanted) {
  if (!value.known || (value.whole < atom.whole_min / 2 && atom.kind == AtomCode::Kind::kShare))
    return false;
  const Sides sides = sides_of(atom, value);
  if (sides.left == 0 || atom.op == Operator::kEqual || atom.op == Operator::kNotEqual)
    return false;
  const bool less = (atom.op == Operator::kLess || atom.op == Operator::kAtMost) == wanted;
  return less ? sides.left / 2 <= sides.right : sides.left >= sides.right / 2;
}

Truth holds(const AtomCode& atom, const FeatureValues& features) {
  if (!features.is_known(atom.feature)) return Truth::kUnknown;
  if (atom.kind == AtomCode::Kind::kWord) {
    const bool equal = features.word(atom.feature) == atom.word;
    return truth_of(equal == (atom.op == Operator::kEqual));
  }
  return truth_of(compares(atom.op, Wide{features.number(atom.feature)} * kMillion, atom.limit));
}

Truth holds_for_one(const AtomCode& atom, const CounterReadings& readings) {
  const std::vector<PieceReading>& pieces = readings.of(atom.need);
  Truth truth = pieces.empty() ? Truth::kUnknown : Truth::kFalse;
  for (const PieceReading& piece : pieces) {
    truth = either(truth, holds(atom, value_of(atom, piece)));
    if (truth == Truth::kTrue) break;
  }
  return truth;
}

}  // namespace shingled::milter::policy
