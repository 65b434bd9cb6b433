#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "milter/features/feature.h"
#include "milter/features/name.h"
#include "milter/policy/condition.h"
#include "milter/policy/counter_readings.h"
#include "milter/policy/truth.h"

namespace shingled::milter::policy {

using features::Feature;
using features::FeatureRow;
using features::FeatureValues;
using features::find_feature;

/// How many whole days `usual` is the mean of.
inline constexpr std::uint32_t kUsualDays = storage::counters::kWindowDaysMax;

/// A comparison with its names looked up.
struct AtomCode {
  enum class Kind : std::uint8_t { kNumber, kWord, kName, kCount, kShare, kUsual };

  Kind kind = Kind::kNumber;
  Operator op = Operator::kAtLeast;
  Feature feature{};  ///< of kNumber and kWord
  storage::counters::Measure measure{};
  storage::counters::Measure whole{};  ///< of kShare: what it is a share of
  std::uint32_t need = 0;              ///< of a counter: place of its type in the needs
  std::uint32_t window = 0;            ///< place in the windows of the need
  std::uint32_t usual = 0;             ///< of kUsual: place of yesterday; the days before follow
  std::uint32_t window_seconds = 0;    ///< of kUsual
  std::uint64_t whole_min = 0;         ///< of kShare
  bool said = false;                   ///< of a counter: it is what people said
  Wide limit = 0;                      ///< millionths, of a share of a percent; yes is one
  std::string word = {};               ///< of kWord
  features::Name name{};               ///< of kName
  bool in_file = false;    ///< of kName: the list is a file, else it is written in the condition
  std::uint32_t list = 0;  ///< of kName: place in the files or the lists of the rules
};

/// The value that a comparison is about, for one piece.
struct PieceValue {
  bool known = false;
  std::uint64_t count = 0;
  std::uint64_t whole = 0;      ///< of a share
  std::uint64_t usual_sum = 0;  ///< of the days that count
  std::uint32_t usual_days = 0;
};

/// Threads: stateless.
/// Cost:    no allocation.
PieceValue value_of(const AtomCode& atom, const PieceReading& reading);
/// Whether the comparison holds for a value. `usual` needs a day before today, else it is unknown.
Truth holds(const AtomCode& atom, const PieceValue& value);
/// Whether `a` speaks more clearly for the comparison than `b`: it is greater, or less for `<` and
/// `<=`. Both are known.
bool is_stronger(const AtomCode& atom, const PieceValue& a, const PieceValue& b);
/// Of a value for which the comparison is not `wanted`: whether it is at least half as great as
/// required, or at most twice as great if less is required. Never for `=` and `!=`.
bool is_near(const AtomCode& atom, const PieceValue& value, bool wanted);

/// Whether a feature of the message meets its comparison.
Truth holds(const AtomCode& atom, const FeatureValues& features);
/// Whether a comparison of a counter holds for one of its values.
Truth holds_for_one(const AtomCode& atom, const CounterReadings& readings);

}  // namespace shingled::milter::policy
