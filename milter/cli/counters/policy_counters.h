#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/options/counter_options.h"
#include "config/options/settings.h"
#include "milter/cli/access/counter_client.h"
#include "milter/cli/access/counter_desk.h"
#include "milter/cli/terminal/console.h"
#include "milter/counters/envelope.h"
#include "milter/features/counter_needs.h"
#include "milter/rules/facts.h"

namespace shingled::milter::cli {

/// What the counters say of messages in files, as far as rules need it. If they cannot be asked, it
/// is said once, and they are unknown.
/// Threads: one thread; waits.
/// Cost:    one or two requests for each piece that rules need.
class PolicyCounters {
 public:
  /// `pieces`: as of EnvelopeArguments::piece_options. `settings` and `clock` must outlive it.
  PolicyCounters(const Settings& settings, PieceOptions pieces, features::CounterNeeds needs,
                 Clock& clock, Random& random)
      : settings_(settings),
        pieces_(std::move(pieces)),
        needs_(std::move(needs)),
        desk_(settings, clock, random),
        client_(desk_) {}

  /// Asks for a message after its look-ups. The own word of `envelope.recipients` is known.
  void add_to(rules::Facts& facts, std::string_view message, const counters::Envelope& envelope,
              Console& console);

 private:
  const Settings& settings_;
  const PieceOptions pieces_;
  const features::CounterNeeds needs_;
  CounterDesk desk_;
  CounterClient client_;
  bool away_ = false;
};

/// A piece of which recipients of the message said something.
struct OwnWord {
  mime::Piece piece;
  features::Sums sums;  ///< over the longest window of its type
};

/// Those of the facts, in their order. Pure.
std::vector<OwnWord> own_words(const rules::CounterFacts& counters);

}  // namespace shingled::milter::cli
