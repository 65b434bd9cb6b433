#pragma once

#include <memory>
#include <vector>

#include "config/base/clock.h"
#include "milter/features/counter_needs.h"
#include "milter/features/sums.h"
#include "mime/pieces/piece_list.h"
#include "storage/counters/counter.h"

namespace shingled::milter::rules {

/// What the counters say of one piece of a message.
struct PieceCounts {
  mime::Piece piece;  ///< of a unique type with the first piece alone
  /// False: the counter could not be asked. Its sums mean nothing; it is not zero.
  bool known = false;
  /// By window of the need of its type; empty if it is not known.
  std::vector<features::Sums> sums = {};
  /// The windows of which nothing was counted for certain, because a file of then is damaged;
  /// empty = none.
  std::vector<bool> lost = {};
  bool said_known = false;  ///< what people said is in the sums
};

/// What the counters say of a message: how things were before it.
struct CounterFacts {
  std::shared_ptr<const features::CounterNeeds> needs;  ///< what was asked; null = nothing
  std::vector<PieceCounts> pieces;                      ///< of the types that are needed
  bool left_out = false;  ///< the message has pieces that are not here: a bound was met
  Duration time{};        ///< of the question; 0 = nothing was asked
};

}  // namespace shingled::milter::rules
