#include "milter/ratelimit/mail_limiter.h"

#include <array>
#include <utility>

namespace shingled::milter::ratelimit {

void LimitCounters::count(std::string_view type, Event event, std::uint64_t times) {
  auto by_type = by_type_.lock();
  auto found = by_type->find(type);
  if (found == by_type->end()) found = by_type->emplace(type, Counts{}).first;
  found->second[static_cast<std::size_t>(event)] += times;
}

void LimitCounters::report(MetricReport& report) const {
  constexpr std::array<const char*, kEvents> kNames = {"taken", "refused", "marked", "given_back"};
  const auto counts = *by_type_.lock();
  for (const auto& [type, events] : counts) {
    for (std::size_t i = 0; i < kEvents; ++i) {
      report.counter({"shingled_ratelimit_drops", "Drops of mail, by what became of them."},
                     events[i], {{"type", type}, {"event", kNames[i]}});
    }
  }
}

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
  const auto has = [&](const EnvelopeAddress& form) {
    return spared_.contains(form.local) || spared_.contains(form.text()) ||
           spared_.contains('@' + form.domain);
  };
  if (has(recipient)) return true;
  // Not the original address in that of a forwarder, which is another mailbox.
  EnvelopeAddress normal = normal_mailbox(recipient);
  return normal.domain == in_dns(recipient.domain) && has(normal);
}

}  // namespace shingled::milter::ratelimit
