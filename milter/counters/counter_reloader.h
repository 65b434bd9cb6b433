#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "config/base/clock.h"
#include "config/base/current.h"
#include "config/base/guarded.h"
#include "config/base/logger.h"
#include "config/base/random.h"
#include "config/options/milter_options.h"
#include "milter/counters/message_counter.h"
#include "storage/counters/piece_names.h"

namespace shingled::milter::counters {

/// The counters of a daemon. Opens them when the settings enable them, and makes a MessageCounter
/// of the settings; a reload makes a new one. Their place (folder or servers) and their key do not
/// change any more.
///
/// If they cannot be opened, the log has an error line, and nothing is counted until a reload: mail
/// is served without them.
/// Threads: `use` and `close` on one thread; the others on any.
class CounterReloader {
 public:
  CounterReloader(Clock& clock, Random& random, Logger& logger)
      : clock_(clock), random_(random), logger_(logger) {}

  /// Says who is meant by an address, for what people said of mail. Call it before `use`.
  void connect(MessageCounter::PersonOf person) { person_ = std::move(person); }
  /// `needs`: what the counters are asked for (features::union_of if several need something).
  void use(const CounterOptions& options, const ActionOptions& actions,
           features::CounterNeeds needs = {}, storage::people::Weights weights = {});
  /// Ends the counting of new messages and releases the store.
  void close();

  [[nodiscard]] const Current<const MessageCounter>& current() const { return current_; }
  /// Null until they were opened, and after `close`.
  [[nodiscard]] std::shared_ptr<storage::counters::CounterStore> store() const {
    return *store_.lock();
  }
  /// Null until they were opened, after `close`, and if the file cannot be opened.
  [[nodiscard]] std::shared_ptr<storage::people::PeopleStore> people() const {
    return *people_.lock();
  }
  /// The texts of pieces; null unless `counters.names` was set.
  [[nodiscard]] std::shared_ptr<storage::counters::PieceNames> names() const {
    return *names_.lock();
  }
  /// The site's key; nullopt until they were opened.
  [[nodiscard]] std::optional<CounterKeyBytes> site() const { return *site_.lock(); }
  /// Why there are none though they are enabled; empty otherwise.
  [[nodiscard]] std::string why_off() const { return *why_off_.lock(); }
  void report(MetricReport& report) const;

 private:
  Status open(const CounterOptions& options);
  void open_people(const CounterOptions& options, const CounterKeyBytes& site);
  void open_names(const CounterOptions& options);
  std::shared_ptr<const CountryFile> open_countries(const CounterOptions& options);

  Clock& clock_;
  Random& random_;
  Logger& logger_;
  CountingState state_;
  mutable Guarded<std::shared_ptr<storage::counters::CounterStore>> store_;
  mutable Guarded<std::shared_ptr<storage::counters::PieceNames>> names_;
  mutable Guarded<std::shared_ptr<storage::people::PeopleStore>> people_;
  mutable Guarded<std::optional<CounterKeyBytes>> site_;
  mutable Guarded<std::string> why_off_;
  std::shared_ptr<const CountryFile> countries_;  ///< the last one that could be read
  MessageCounter::PersonOf person_;
  Current<const MessageCounter> current_;
};

}  // namespace shingled::milter::counters
