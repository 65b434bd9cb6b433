#include "milter/ratelimit/limit_counters.h"

#include <array>

namespace shingled::milter::ratelimit {

void LimitCounters::count(std::string_view type, Event event, std::uint64_t times) {
  auto by_type = by_type_.lock();
  auto found = by_type->find(type);
  if (found == by_type->end()) found = by_type->emplace(type, Counts{}).first;
  found->second[static_cast<std::size_t>(event)] += times;
}

void LimitCounters::report(MetricReport& report) const {
  constexpr std::array<const char*, kEvents> kNames = {"taken", "refused", "marked", "given_back"};
  const auto counts = *by_type_.lock();
  for (const auto& [type, events] : counts) {
    for (std::size_t i = 0; i < kEvents; ++i) {
      report.counter({"shingled_ratelimit_drops", "Drops of mail, by what became of them."},
                     events[i], {{"type", type}, {"event", kNames[i]}});
    }
  }
}

}  // namespace shingled::milter::ratelimit
