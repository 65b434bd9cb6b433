#pragma once

#include <vector>

#include "config/base/clock.h"
#include "mime/pieces/piece.h"
#include "storage/counters/counter.h"
#include "storage/counters/series.h"

namespace shingled::milter::rules {

/// What the counters say of one piece of a message.
struct PieceCounts {
  mime::Piece piece;  ///< of a unique type with the first piece alone
  /// False: the counter could not be asked. Its sums mean nothing; it is not zero.
  bool known = false;
  std::vector<storage::counters::Amounts> sums;  ///< by window of CounterFacts::windows
};

/// What the counters say of a message: how things were before it.
struct CounterFacts {
  std::vector<storage::counters::Window> windows;
  std::vector<PieceCounts> pieces;  ///< of the types that somebody needs, in order of type
  Duration time{};                  ///< of the question; 0 = nothing was asked
};

}  // namespace shingled::milter::rules
