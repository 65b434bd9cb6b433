#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/settings.h"
#include "milter/actions/apply.h"
#include "milter/counters/envelope.h"
#include "milter/features/message_features.h"
#include "milter/judge/snapshot.h"
#include "milter/rules/facts.h"

namespace shingled::milter::judge {

/// How a message came, as far as its envelope tells it. Pure.
features::Arrival arrival_of(const counters::Envelope& envelope, const Settings& settings);

/// The message's own headers that carry one of our names and would go: all that a mail server would
/// hand over, whatever the bounds of an analysis. Pure.
actions::ForgedHeaders forged_in(std::string_view message, const Settings& settings);

/// A message that somebody asks about: it is no mail.
struct TriedMessage {
  std::string_view bytes;
  counters::Envelope envelope = {};  ///< what it does not have is unknown
  std::stop_token stop = {};
};

/// What would happen to it.
struct TriedVerdict {
  rules::Facts facts;  ///< `stopped`: the rest means nothing
  actions::Decision decision;
  std::vector<std::string> near_misses;
  /// Why mail with this envelope is passed unchecked: the name of the option; empty if it is not.
  std::string_view unchecked = {};
};

/// Judges a message as mail with this envelope that comes now, but stores and counts nothing: no
/// counter, no history, no hit of a rule or a stored hash, no drop of a limit, of which it has
/// none. Remote servers are asked as for mail.
/// Errors:  none; they are in the facts. May throw for lack of memory.
/// Threads: any.
/// Cost:    Scanner::scan().
TriedVerdict try_message(const Snapshot& snapshot, const TriedMessage& message);

}  // namespace shingled::milter::judge
