#include "storage/access/access_reloader.h"

#include <utility>

#include "storage/access/limit_file.h"

namespace shingled::storage::access {

AccessReloader::AccessReloader(Random& random, Logger& logger) : logger_(logger), lists_(logger) {
  for (std::uint64_t& word : state_.sources.key) word = random.next_u64();
  state_.sources.report = std::make_shared<LimitReport>(logger);
}

Result<std::unique_ptr<AccessReloader>> AccessReloader::open(const ServerOptions& options,
                                                             Random& random, Logger& logger) {
  std::unique_ptr<AccessReloader> reloader(new AccessReloader(random, logger));
  if (auto status = reloader->make(options); !status) return status.error();
  return reloader;
}

Status AccessReloader::reload(const ServerOptions& options) { return make(options); }

Status AccessReloader::make(const ServerOptions& options) {
  auto whole = lists_.read(options);
  if (!whole) return whole.error();
  auto access = Access::make(*whole, &state_);
  if (!access) return access.error().in("storage.keypair");
  lists_.accept();
  access_ = std::make_shared<const Access>(*std::move(access));
  options_ = options;
  if (access_->ignores_keys()) {
    logger_.warning(LogLine("fuzzy_key_rights_ignored")
                        .field("why", "allow_update lists addresses, so only addresses decide"));
  }
  return {};
}

bool AccessReloader::refresh() {
  if (!lists_.changed()) return false;
  const Status status = make(options_);
  if (!status) logger_.error(LogLine("fuzzy_lists_refused").field("why", status.error().message));
  return status.has_value();
}

void AccessReloader::restore_limits(const std::string& path, const Moment& now) {
  LimitState& state = state_.sources;
  if (state.table == nullptr) return;
  const auto saved = load_limits(path, now.wall);
  if (!saved) {
    if (saved.error().code != ErrorCode::kNotFound)
      logger_.warning(LogLine("fuzzy_ratelimits_lost").field("why", saved.error().message));
    return;
  }
  if (saved->network_mask != state.network_mask) return;  // the names are of other networks
  state.key = saved->key;
  state.table->restore(saved->entries, now.steady);
  if (const Status status = make(options_); !status)
    logger_.error(LogLine("fuzzy_lists_refused").field("why", status.error().message));
  logger_.info(LogLine("fuzzy_ratelimits_restored").field("sources", saved->entries.size()));
}

void AccessReloader::save_limits(const std::string& path, const Moment& now) const {
  const LimitState& state = state_.sources;
  if (state.table == nullptr) return;
  const Status status = storage::access::save_limits(
      path, {state.key, state.network_mask, now.wall, state.table->entries(now.steady)});
  if (!status)
    logger_.warning(LogLine("fuzzy_ratelimits_lost").field("why", status.error().message));
}

}  // namespace shingled::storage::access
