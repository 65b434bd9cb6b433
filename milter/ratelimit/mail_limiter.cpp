#include "milter/ratelimit/mail_limiter.h"

#include <utility>

namespace shingled::milter::ratelimit {

MailLimiter::MailLimiter(MailLimitOptions options,
                         std::weak_ptr<storage::buckets::BucketStore> store, const Clock& clock,
                         LimitCounters& counters)
    : options_(std::move(options)),
      spared_(options_.whitelisted_rcpts.begin(), options_.whitelisted_rcpts.end()),
      store_(std::move(store)),
      clock_(clock),
      counters_(counters) {}

bool MailLimiter::limits(const std::optional<IpAddress>& client) const {
  return options_.enabled() && !(client && contains(options_.whitelisted_ip, *client));
}

bool MailLimiter::spares(const EnvelopeAddress& recipient) const {
  return spared_.contains(recipient.local) || spared_.contains(recipient.text()) ||
         spared_.contains('@' + recipient.domain);
}

}  // namespace shingled::milter::ratelimit
