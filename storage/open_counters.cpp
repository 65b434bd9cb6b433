#include "storage/open_counters.h"

#include <utility>

#include "storage/counters/embedded_store.h"
#include "storage/people/embedded_people.h"
#include "storage/people/shared_people.h"
#include "storage/redis/counters/shared_counters.h"

namespace shingled::storage {

Result<std::unique_ptr<counters::CounterStore>> open_counters(const CounterOptions& options,
                                                              Clock& clock, Random& random,
                                                              Logger& logger,
                                                              std::optional<std::uint64_t> mark) {
  if (options.shared.enabled()) {
    auto store = redis::SharedCounters::open(options.shared, clock, random, logger, mark);
    if (!store) return store.error().in("counters.journal_directory");
    return std::unique_ptr<counters::CounterStore>(*std::move(store));
  }
  auto store = counters::EmbeddedCounterStore::open(options.embedded, clock, logger, mark);
  if (!store) return store.error().in("counters.directory");
  return std::unique_ptr<counters::CounterStore>(*std::move(store));
}

Result<std::unique_ptr<people::PeopleStore>> open_people(const CounterOptions& options,
                                                         std::uint64_t site, Clock& clock,
                                                         Logger& logger) {
  if (options.shared.enabled())
    return std::unique_ptr<people::PeopleStore>(std::make_unique<people::SharedPeople>(
        people::SharedPeople::Options{options.shared.redis, options.keep_reports}, clock));
  auto store = people::EmbeddedPeople::open(
      {.path = options.people_path(), .site = site, .keep = options.keep_reports}, clock, logger);
  if (!store) return store.error().in("counters.directory");
  return std::unique_ptr<people::PeopleStore>(*std::move(store));
}

}  // namespace shingled::storage
