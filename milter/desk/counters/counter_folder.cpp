#include "milter/desk/counters/counter_folder.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "config/base/logger.h"
#include "milter/api/counters/counter_resource.h"
#include "milter/desk/daemon_choice.h"
#include "storage/counters/counter_files.h"
#include "storage/counters/counter_key.h"
#include "storage/counters/piece_names.h"
#include "storage/open_store.h"

namespace shingled::milter::desk {

class CounterFolder::Opened {
 public:
  explicit Opened(Clock& clock)
      : clock_(clock),
        resource_([this] { return counters_; }, clock,
                  [this](PieceType type, std::uint64_t shingle) {
                    return names_ ? names_->find(type, shingle) : std::nullopt;
                  }),
        router_(resource_.routes()) {}

  Status open(const CounterOptions& options, Clock& clock, Random& random) {
    if (Status made = storage::counters::make_counter_folder(options.embedded.directory); !made)
      return made;
    const auto key = storage::counters::site_key(options, random);
    if (!key) return key.error();
    const std::uint64_t mark = storage::counters::key_mark(*key);
    auto store = storage::open_counters(options, clock, random, logger_, mark);
    if (!store && options.shared.enabled() && options.shared.journal_max > 0) {
      // A daemon has the journal; Redis has the counters.
      CounterOptions without_journal = options;
      without_journal.shared.journal_max = 0;
      store = storage::open_counters(without_journal, clock, random, logger_, mark);
    }
    if (!store) return store.error();
    if (options.names) {
      auto names = storage::counters::PieceNames::open_without_thread(
          options.names_path(), options.names_max, clock, logger_);
      if (!names && !options.shared.enabled()) return names.error();
      if (names) names_ = *std::move(names);
    }
    counters_ = {std::shared_ptr(*std::move(store)), *key};
    patience_ = options.shared.redis.timeout;
    return {};
  }
  Status settle() { return counters_.store->settle(clock_.now() + patience_); }

  [[nodiscard]] const api::Router& router() const { return router_; }

 private:
  Clock& clock_;
  NullLogger logger_;
  api::SiteCounters counters_;
  Duration patience_{};
  std::unique_ptr<storage::counters::PieceNames> names_;
  api::CounterResource resource_;
  api::Router router_;
};

CounterFolder::CounterFolder(std::unique_ptr<Opened> opened) : opened_(std::move(opened)) {}
CounterFolder::~CounterFolder() = default;

bool CounterFolder::exists(const std::string& directory) {
  // If it may not be known, opening it says so.
  return ::access((directory + "/counters.db").c_str(), F_OK) == 0 || errno == EACCES;
}

Result<std::unique_ptr<CounterFolder>> CounterFolder::open(const CounterOptions& options,
                                                           Clock& clock, Random& random) {
  auto opened = std::make_unique<Opened>(clock);
  if (Status ready = opened->open(options, clock, random); !ready) return ready.error();
  return std::unique_ptr<CounterFolder>(new CounterFolder(std::move(opened)));
}

Status CounterFolder::answer(const http::HttpCall& call, const http::HttpTaker& take) {
  if (Status done = answer_here(opened_->router(), call, take); !done) return done;
  // This process ends after the command.
  return opened_->settle();
}

}  // namespace shingled::milter::desk
