#include "milter/promotion/settled_time.h"

namespace shingled::milter::promotion {

bool is_due(WallTime last, WallTime now, std::chrono::seconds of_day) {
  if (last > now) return true;
  const auto midnight = std::chrono::floor<std::chrono::days>(last);
  WallTime next = WallTime(midnight) + of_day;
  if (next <= last) next += std::chrono::days(1);
  return now >= next;
}

}  // namespace shingled::milter::promotion
