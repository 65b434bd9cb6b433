#pragma once

#include <cstdint>

#include "config/options/milter_options.h"
#include "milter/history/message_record.h"
#include "storage/sqlite/history/history_table.h"

namespace shingled::milter::learning {

/// What a message of the history is for a training.
struct MessageLabel {
  enum class Side : std::uint8_t { kNone, kBad, kWanted };
  Side side = Side::kNone;  ///< kNone: it teaches nothing
  bool by_people = false;
  friend bool operator==(const MessageLabel&, const MessageLabel&) = default;
};

/// How much more the word of people weighs than a verdict.
inline constexpr float kPeopleWeight = 10;

/// People's word, if there is one; else the verdict, if the evidence other than the model speaks
/// clearly: a point above the threshold of a mark, or below half of it. The word of the model never
/// counts, nor a message that was deferred, that failed, or that was not looked at.
/// Threads: stateless.
MessageLabel label_of(std::uint8_t action, std::uint8_t label, const history::MessageRecord& record,
                      const ActionOptions& actions);

/// From which score on a message is marked.
double mark_from(const ActionOptions& actions);

}  // namespace shingled::milter::learning
