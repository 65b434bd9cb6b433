#pragma once

#include <stop_token>
#include <vector>

#include "config/base/clock.h"
#include "milter/judge/message/message_view.h"
#include "milter/rules/facts.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::judge {

/// What the counters say of one message: look(), then maybe look_again().
/// Threads: one at a time.
class CounterSource {
 public:
  virtual ~CounterSource() = default;
  /// Takes the pieces of the message and asks for the counters that are needed. `matched`: what its
  /// look-ups have matched so far (counters/counted_hashes.h); no limit on pieces takes them away,
  /// so that no message can hide them by many links.
  /// Errors:  none; what cannot be asked is unknown.
  virtual rules::CounterFacts look(MessageView& message, std::vector<mime::Piece> matched,
                                   TimePoint deadline, const std::stop_token& stop) = 0;
  /// What later look-ups have matched: those that are new belong to the message, too, and their
  /// counters are added to `facts`.
  virtual void look_again(std::vector<mime::Piece> matched, TimePoint deadline,
                          rules::CounterFacts& facts) = 0;
};

}  // namespace shingled::milter::judge
