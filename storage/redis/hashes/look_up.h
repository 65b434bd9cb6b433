#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "storage/model/fuzzy_store.h"
#include "storage/redis/route/redis_route.h"

namespace shingled::storage::redis {

/// The matches for one question.
struct Found {
  std::optional<Match> exact;
  std::optional<Match> near;  ///< the owner of most slots, if it is another digest with a record
};

/// When the slots of a question are read.
enum class AskSlots : std::uint8_t {
  kAtOnce,      ///< together with its record: a miss costs one round trip
  kIfNotExact,  ///< only if there is no record: an exact hit reads no slots and has no `near`
};

/// Looks up all questions together: records and slots in one round trip or two, then the records of
/// the digests that own enough slots in one more. A digest without a record is never a match.
/// Errors: those of the route.
/// Threads: stateless.
Result<std::vector<Found>> look_up(RedisRoute& route, std::string_view prefix,
                                   std::span<const Question> questions, AskSlots ask_slots,
                                   TimePoint deadline);

}  // namespace shingled::storage::redis
