#include "milter/counters/counter_reloader.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "storage/counters/counter_key.h"
#include "storage/open_counters.h"

namespace shingled::milter::counters {

void CounterReloader::use(const CounterOptions& options, const ActionOptions& actions) {
  if (options.enabled && store() == nullptr) {
    if (const Status opened = open(options); !opened) {
      logger_.error(LogLine("counters_off")
                        .field("why", opened.error().message)
                        .field("mail", "goes on without counters"));
    }
  }
  if (!options.enabled || store() == nullptr) return current_.set(nullptr);
  current_.set(std::make_shared<const MessageCounter>(
      MessageCounter::Setup{.options = options,
                            .thresholds = CountThresholds::of(options, actions),
                            .needs = {},
                            .site = *site(),
                            .name = {},
                            .store = store()},
      clock_, logger_, state_));
}

Status CounterReloader::open(const CounterOptions& options) {
  // The folder of the key may be that of the files, which do not exist yet; what is wrong with it
  // is what reading the key says.
  std::error_code ignored;
  std::filesystem::create_directory(std::filesystem::path(options.key_path()).parent_path(),
                                    ignored);
  auto key = storage::counters::read_or_make_key(options.key_path(), random_);
  if (!key) return key.error();
  auto store = storage::open_counters(options, clock_, random_, logger_);
  if (!store) return store.error();
  *site_.lock() = *key;
  *store_.lock() = *std::move(store);
  return {};
}

void CounterReloader::close() {
  current_.set(nullptr);
  store_.lock()->reset();
}

void CounterReloader::report(MetricReport& report) const {
  const auto store = this->store();
  if (store == nullptr) return;
  state_.report(report);
  store->report(report);
}

}  // namespace shingled::milter::counters
