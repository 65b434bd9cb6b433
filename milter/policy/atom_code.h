#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "milter/features/counter_needs.h"
#include "milter/features/feature.h"
#include "milter/policy/condition.h"
#include "mime/fingerprint/piece_type.h"
#include "storage/counters/counter.h"

namespace shingled::milter::policy {

/// What is known of a condition. A condition with unknown values is true or false only if it would
/// be so for every value that these could have.
enum class Truth : std::uint8_t { kFalse, kUnknown, kTrue };

// Kleene's three-valued logic.
constexpr Truth operator!(Truth a) {
  return static_cast<Truth>(static_cast<unsigned>(Truth::kTrue) - static_cast<unsigned>(a));
}
constexpr Truth both(Truth a, Truth b) { return std::min(a, b); }
constexpr Truth either(Truth a, Truth b) { return std::max(a, b); }
constexpr Truth truth_of(bool known) { return known ? Truth::kTrue : Truth::kFalse; }

using features::Sums;
using storage::counters::Window;

using features::CounterNeed;
using features::CounterNeeds;

/// What the counters say of one piece.
struct PieceReading {
  std::string piece;         ///< as people read it, for explanations; may be empty
  std::vector<Sums> sums;    ///< of each window of the need; empty = unknown
  std::vector<bool> lost{};  ///< windows whose counts are unknown; empty = none
  bool said_known = false;   ///< the sums have what people said
  friend bool operator==(const PieceReading&, const PieceReading&) = default;
};

/// What the counters say of a message. Without a piece of a type its counters are unknown. If a
/// piece was left out, because there are too many, its reading is unknown.
/// Threads: a value.
class CounterReadings {
 public:
  /// No pieces yet. `needs`: how many there are.
  explicit CounterReadings(std::size_t needs) : pieces_(needs) {}

  /// `need`: its place in the needs.
  void add(std::size_t need, PieceReading reading) { pieces_[need].push_back(std::move(reading)); }
  [[nodiscard]] const std::vector<PieceReading>& of(std::size_t need) const {
    return pieces_[need];
  }

 private:
  std::vector<std::vector<PieceReading>> pieces_;
};

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
