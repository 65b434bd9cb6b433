#include "milter/ratelimit/limit_reloader.h"

#include <utility>

#include "storage/buckets/bucket_store.h"

namespace shingled::milter::ratelimit {

Status LimitReloader::use(const MailLimitOptions& options) {
  auto complete = lists_.read(options);
  if (!complete) return complete.error();
  if (options.enabled() && store() == nullptr) {
    if (Status opened = open_store(options); !opened) return opened;
  }
  lists_.accept();
  options_ = options;
  current_.set(options.enabled() ? std::make_shared<const MailLimiter>(*std::move(complete),
                                                                       store(), clock_, counters_)
                                 : nullptr);
  return {};
}

Status LimitReloader::open_store(const MailLimitOptions& options) {
  auto opened = storage::buckets::open_buckets(options, clock_, random_, logger_);
  if (!opened) return opened.error();
  *store_.lock() = *std::move(opened);
  return {};
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
