#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "config/base/random.h"
#include "config/options/counter_options.h"
#include "config/options/settings.h"
#include "milter/counters/envelope.h"
#include "milter/desk/counters/counter_client.h"
#include "milter/desk/counters/counter_desk.h"
#include "milter/features/counter_needs.h"
#include "milter/judge/message/message_view.h"
#include "milter/rules/facts.h"

namespace shingled::milter::desk {

/// What the counters say of messages in files, as far as rules need it. If they cannot be asked, it
/// is said once, and they are unknown.
/// Threads: one thread; waits.
/// Cost:    one or two requests for each piece that rules need.
class PolicyCounters final : public judge::CounterSource {
 public:
  /// Gets the reason why they cannot be asked.
  using Note = std::function<void(const std::string& why)>;

  /// `settings`, `clock` and `random` must outlive it.
  PolicyCounters(const Settings& settings, features::CounterNeeds needs, Clock& clock,
                 Random& random, Note note)
      : needs_(std::move(needs)),
        desk_(settings, clock, random),
        client_(desk_),
        note_(std::move(note)) {}

  /// For the scan of a message with this envelope, which must outlive it; null if there is nothing
  /// to ask. The own word of its recipients is known.
  [[nodiscard]] judge::CounterSource* of(const counters::Envelope& envelope);

  rules::CounterFacts look(judge::MessageView& message, std::vector<mime::Piece> matched,
                           TimePoint deadline, const std::stop_token& stop) override;
  void look_again(std::vector<mime::Piece> matched, TimePoint deadline,
                  rules::CounterFacts& facts) override;

 private:
  /// Adds the counters of some pieces of the message.
  void ask(std::span<const mime::Piece> pieces, rules::CounterFacts& facts);

  const features::CounterNeeds needs_;
  CounterDesk desk_;
  CounterClient client_;
  const Note note_;
  const counters::Envelope* envelope_ = nullptr;
  std::vector<mime::Piece> matched_;  ///< of the message, what was asked for already
  bool proved_ = false;               ///< its From
  bool away_ = false;
};

/// A piece of which recipients of the message said something.
struct OwnWord {
  mime::Piece piece;
  features::Sums sums;  ///< over the longest window of its type
};

/// Those of the facts, in their order. Pure.
std::vector<OwnWord> own_words(const rules::CounterFacts& counters);

}  // namespace shingled::milter::desk
