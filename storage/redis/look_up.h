#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "storage/fuzzy_store.h"
#include "storage/redis/redis_route.h"

namespace shingled::storage {

/// What is stored about one question.
struct Found {
  std::optional<Match> exact;
  std::optional<Match> near;  ///< owner of most slots, if it is another digest and its record lives
};

/// Asks for all questions at once: records and slots in one round trip, then the records of those
/// who own enough slots in another. Nothing is taken as stored without its record.
/// Errors: those of the route.   Threads: stateless.
Result<std::vector<Found>> look_up(RedisRoute& route, std::string_view prefix,
                                   std::span<const Question> questions, TimePoint deadline);

}  // namespace shingled::storage
