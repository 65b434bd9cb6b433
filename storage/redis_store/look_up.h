#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "storage/model/fuzzy_store.h"
#include "storage/redis/redis_route.h"

namespace shingled::storage::redis_store {

/// What is stored about one question.
struct Found {
  std::optional<Match> exact;
  std::optional<Match> near;  ///< owner of most slots, if it is another digest and its record lives
};

/// When the slots of a question are asked for.
enum class AskSlots : std::uint8_t {
  kAtOnce,      ///< with its record: a miss costs one round trip
  kIfNotExact,  ///< when there is no record: an exact hit costs no slots, `near` stays empty for it
};

/// Asks for all questions at once: records and slots in one round trip or two, then the records of
/// those who own enough slots in another. Nothing is taken as stored without its record.
/// Errors: those of the route.
/// Threads: stateless.
Result<std::vector<Found>> look_up(redis::RedisRoute& route, std::string_view prefix,
                                   std::span<const Question> questions, AskSlots ask_slots,
                                   TimePoint deadline);

}  // namespace shingled::storage::redis_store
