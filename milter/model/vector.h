#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "milter/features/counter_needs.h"
#include "milter/features/feature.h"
#include "milter/history/message_record.h"
#include "milter/model/columns.h"
#include "milter/rules/facts.h"

namespace shingled::milter::model {

/// What a model sees of a message: a number for each column, NaN if it is unknown.
using Vector = std::vector<float>;

/// Makes the vector of a message, whether it is live or a row of the history.
/// Threads: one.
class VectorMaker {
 public:
  /// `score`: of all evidence but the model's own. `windows`: those of the sums; a column whose
  /// window is not among them is unknown. `said`: the sums have what people said.
  VectorMaker(const features::FeatureValues& features, double score,
              std::span<const Window> windows, bool said);

  /// A piece with its sums, by window; none if they are not known.
  void add(PieceType type, std::span<const features::Sums> sums);
  Vector take() { return std::move(out_); }

 private:
  Vector out_;
  std::vector<std::size_t> places_;  ///< of each window used among those of the sums
  std::size_t windows_;
  bool said_;
};

/// What a vector needs of the counters.
features::CounterNeeds needs_of_model();

/// The vector of a message that is judged now. `facts`: before the model has its word.
/// Cost: some 10 us.
Vector vector_of(const rules::Facts& facts);
/// The vector of a row of the history: the same that the message had.
Vector vector_of(const history::MessageRecord& record);

/// The score of a row without the model's part.
double score_of_others(const history::MessageRecord& record);

/// The symbol of the model's evidence.
inline constexpr std::string_view kModelSymbol = "MODEL";

}  // namespace shingled::milter::model
