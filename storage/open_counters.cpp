#include "storage/open_counters.h"

#include <utility>

#include "storage/counters/embedded_store.h"

namespace shingled::storage {

Result<std::unique_ptr<counters::CounterStore>> open_counters(const CounterOptions& options,
                                                              Clock& clock, Random& /*random*/,
                                                              Logger& logger) {
  if (options.shared.enabled())
    return Error{ErrorCode::kInvalid, "counters.servers: not there yet"};
  auto store = counters::EmbeddedCounterStore::open(options.embedded, clock, logger);
  if (!store) return store.error().in("counters.directory");
  return std::unique_ptr<counters::CounterStore>(*std::move(store));
}

}  // namespace shingled::storage
