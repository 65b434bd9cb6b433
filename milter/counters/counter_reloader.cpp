#include "milter/counters/counter_reloader.h"

#include <utility>

#include "storage/counters/counter_files.h"
#include "storage/counters/counter_key.h"
#include "storage/open_store.h"

namespace shingled::milter::counters {

void CounterReloader::use(const CounterOptions& options, const ActionOptions& actions,
                          features::CounterNeeds needs, storage::people::Weights weights) {
  if (options.enabled && store() == nullptr) {
    const Status opened = open(options);
    *why_off_.lock() = opened ? "" : opened.error().message;
    if (!opened) {
      logger_.error(LogLine("counters_off")
                        .field("why", opened.error().message)
                        .field("mail", "goes on without counters"));
    }
  }
  if (!options.enabled || store() == nullptr) return current_.set(nullptr);
  if (options.names && names() == nullptr) open_names(options);
  MessageCounter::TellName tell;
  if (options.names)
    tell = [names = std::weak_ptr(names())](PieceType type, std::uint64_t shingle,
                                            std::string_view text) {
      if (const auto held = names.lock()) held->remember(type, shingle, text);
    };
  current_.set(std::make_shared<const MessageCounter>(
      MessageCounter::Setup{.options = options,
                            .thresholds = CountThresholds::of(options, actions),
                            .needs = std::move(needs),
                            .site = *site(),
                            .name = std::move(tell),
                            .store = store(),
                            .countries = open_countries(options),
                            .people = people(),
                            .person = person_,
                            .weights = weights},
      clock_, logger_, state_));
}

Status CounterReloader::open(const CounterOptions& options) {
  // The folder of the files is that of the key, too, unless key_file names another.
  if (Status made = storage::counters::make_counter_folder(options.embedded.directory); !made)
    return made.error().in("counters.directory");
  auto key = storage::counters::site_key(options, random_);
  if (!key) return key.error();
  auto store =
      storage::open_counters(options, clock_, random_, logger_, storage::counters::key_mark(*key));
  if (!store) return store.error();
  *site_.lock() = *key;
  *store_.lock() = *std::move(store);
  open_people(options, *key);
  return {};
}

/// Without them mail and counters still work: what people said is unknown.
void CounterReloader::open_people(const CounterOptions& options, const CounterKeyBytes& site) {
  auto people = storage::open_people(options, storage::counters::key_mark(site), clock_, logger_);
  if (people) {
    *people_.lock() = *std::move(people);
  } else {
    logger_.error(LogLine("people_off")
                      .field("why", people.error().message)
                      .field("mail", "goes on without what people said"));
  }
}

void CounterReloader::open_names(const CounterOptions& options) {
  auto names =
      storage::counters::PieceNames::open(options.names_path(), options.names_max, clock_, logger_);
  if (names) {
    *names_.lock() = *std::move(names);
  } else {
    logger_.error(LogLine("counter_names_off").field("why", names.error().message));
  }
}

/// Read at each reload, because such files are replaced each week. One that is being written is
/// broken; the file before is good enough until the next reload.
std::shared_ptr<const CountryFile> CounterReloader::open_countries(const CounterOptions& options) {
  if (options.geoip.empty()) {
    countries_ = nullptr;
    return nullptr;
  }
  auto countries = CountryFile::open(options.geoip);
  if (countries) {
    countries_ = *std::move(countries);
    return countries_;
  }
  logger_.error(LogLine("counter_countries_off")
                    .field("why", countries.error().message)
                    .field("mail", countries_ == nullptr ? "goes on without countries"
                                                         : "goes on with the file before"));
  return countries_;
}

void CounterReloader::close() {
  current_.set(nullptr);
  names_.lock()->reset();
  people_.lock()->reset();
  store_.lock()->reset();
}

void CounterReloader::report(MetricReport& report) const {
  const auto store = this->store();
  if (store == nullptr) return;
  state_.report(report);
  store->report(report);
  if (const auto names = this->names(); names != nullptr) names->report(report);
  if (const auto people = this->people(); people != nullptr) people->report(report);
}

}  // namespace shingled::milter::counters
