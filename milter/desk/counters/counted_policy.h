#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/base/result.h"
#include "milter/desk/counters/counter_client.h"
#include "milter/features/counter_needs.h"
#include "milter/rules/facts.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::desk {

/// The counters of the pieces that are needed, as the milter asks for them, with one request for
/// each. `proved`: whether the From of their message is. `recipients`: of the message, whose own
/// word counts.
/// Errors:  those of CounterClient: the first one.
Result<rules::CounterFacts> ask_counters(CounterClient& client, Direction direction,
                                         std::span<const mime::Piece> pieces,
                                         const features::CounterNeeds& needs, bool proved,
                                         std::span<const std::string> recipients);

}  // namespace shingled::milter::desk
