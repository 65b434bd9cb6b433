#include "milter/ratelimit/limit_reloader.h"

#include <utility>

#include "storage/open_store.h"

namespace shingled::milter::ratelimit {

Status LimitReloader::use(const MailLimitOptions& options) {
  auto prepared = prepare(options);
  if (!prepared) return prepared.error();
  use(*std::move(prepared));
  return {};
}

Result<LimitReloader::Prepared> LimitReloader::prepare(const MailLimitOptions& options) {
  auto complete = lists_.read(options);
  if (!complete) return complete.error();
  Prepared prepared{options, *std::move(complete), store()};
  if (options.enabled() && prepared.store == nullptr) {
    auto opened = storage::open_buckets(options, clock_, random_, logger_);
    if (!opened) return opened.error();
    prepared.store = *std::move(opened);
  }
  return prepared;
}

void LimitReloader::use(Prepared prepared) {
  lists_.accept();
  *store_.lock() = prepared.store;
  options_ = std::move(prepared.options);
  current_.set(options_.enabled()
                   ? std::make_shared<const MailLimiter>(
                         std::move(prepared.complete), std::move(prepared.store), clock_, counters_)
                   : nullptr);
}

void LimitReloader::refresh() {
  if (!lists_.changed()) return;
  if (const Status status = use(options_); !status) {
    logger_.error(LogLine("limits_kept").field("why", status.error().message));
  }
}

void LimitReloader::close() {
  current_.set(nullptr);
  store_.lock()->reset();
}

void LimitReloader::report(MetricReport& report) const {
  const auto buckets = store();
  if (buckets == nullptr) return;
  counters_.report(report);
  buckets->report(report);
}

}  // namespace shingled::milter::ratelimit
