#include "milter/ratelimit/limit_demands.h"

#include <algorithm>
#include <string_view>

#include "storage/buckets/bucket_key.h"

namespace shingled::milter::ratelimit {

namespace {

/// The text of a part for this mail; nullopt if the mail does not have the part.
std::optional<std::string> part_text(BucketPart part, const MailLimitOptions& options,
                                     const LimitedEnvelope& mail,
                                     const EnvelopeAddress* recipient) {
  const auto unless_empty = [](std::string text) {
    return text.empty() ? std::nullopt : std::optional(std::move(text));
  };
  switch (part) {
    case BucketPart::kBounce:
      return is_bounce_sender(mail.sender) ? std::optional<std::string>("") : std::nullopt;
    case BucketPart::kUser:
      return unless_empty(mail.user);
    case BucketPart::kIp:
      if (!mail.client) return std::nullopt;
      return mail.client->to_string();
    case BucketPart::kNetwork: {
      if (!mail.client) return std::nullopt;
      const bool v4 = mail.client->family == IpAddress::Family::kV4;
      const auto bits = static_cast<int>(v4 ? options.ipv4_prefix : options.ipv6_prefix);
      return Network::of(*mail.client, bits).to_string();
    }
    case BucketPart::kFrom:
      return unless_empty(mail.sender.text());
    case BucketPart::kFromDomain:
      return unless_empty(mail.sender.domain);
    case BucketPart::kTo:
      return recipient == nullptr ? std::nullopt : unless_empty(recipient->text());
    case BucketPart::kToDomain:
      return recipient == nullptr ? std::nullopt : unless_empty(recipient->domain);
  }
  return std::nullopt;
}

bool fits(const BucketOverride& one, const LimitedEnvelope& mail,
          const EnvelopeAddress* recipient) {
  switch (one.kind) {
    case BucketOverride::For::kRecipient:
      return recipient != nullptr && recipient->text() == one.name;
    case BucketOverride::For::kDomain:
      return recipient != nullptr && recipient->domain == one.name;
    case BucketOverride::For::kNetwork:
      return mail.client && one.network && one.network->contains(*mail.client);
  }
  return false;
}

/// An extra part for the key of mail with an override, so that each key has only one rate; empty if
/// the key does not need it.
std::string distinction(const BucketType& type, const BucketOverride& one) {
  const auto has = [&](BucketPart part) {
    return std::find(type.parts.begin(), type.parts.end(), part) != type.parts.end();
  };
  if (one.kind == BucketOverride::For::kRecipient && !has(BucketPart::kTo)) return one.name;
  if (one.kind == BucketOverride::For::kNetwork && !has(BucketPart::kIp)) {
    return one.network->to_string();
  }
  return {};
}

std::optional<LimitDemand> demand_of(const BucketType& type, const MailLimitOptions& options,
                                     const LimitedEnvelope& mail,
                                     const EnvelopeAddress* recipient) {
  std::vector<std::string> parts;
  std::size_t tag = storage::buckets::kNoBucketTag;
  for (const BucketPart part : type.parts) {
    auto text = part_text(part, options, mail, recipient);
    if (!text) return std::nullopt;
    // In a cluster the buckets of a recipient must be on one server, because one script uses them.
    if (part == BucketPart::kTo && options.redis.cluster) tag = parts.size();
    if (part != BucketPart::kBounce) parts.push_back(*std::move(text));
  }
  BucketRate rate = type.rate;
  const auto one =
      std::find_if(type.overrides.begin(), type.overrides.end(),
                   [&](const BucketOverride& other) { return fits(other, mail, recipient); });
  if (one != type.overrides.end()) {
    rate = one->rate;
    if (auto more = distinction(type, *one); !more.empty()) parts.push_back(std::move(more));
  }
  if (!rate.limits()) return std::nullopt;
  const std::vector<std::string_view> views(parts.begin(), parts.end());
  return LimitDemand{type.name, storage::buckets::make_bucket_key(type.name, views, tag), rate, 1,
                     recipient != nullptr};
}

std::vector<LimitDemand> demands_of(const MailLimitOptions& options, const LimitedEnvelope& mail,
                                    const EnvelopeAddress* recipient) {
  std::vector<LimitDemand> out;
  for (const BucketType& type : options.rates) {
    if (type.by_recipient() != (recipient != nullptr)) continue;
    if (auto demand = demand_of(type, options, mail, recipient)) out.push_back(*std::move(demand));
  }
  return out;
}

}  // namespace

std::vector<LimitDemand> message_demands(const MailLimitOptions& options,
                                         const LimitedEnvelope& envelope) {
  return demands_of(options, envelope, nullptr);
}

std::vector<LimitDemand> recipient_demands(const MailLimitOptions& options,
                                           const LimitedEnvelope& envelope,
                                           const EnvelopeAddress& recipient) {
  return demands_of(options, envelope, &recipient);
}

std::vector<LimitDemand> merged(std::vector<LimitDemand> demands) {
  std::stable_sort(demands.begin(), demands.end(),
                   [](const LimitDemand& a, const LimitDemand& b) { return a.key < b.key; });
  std::vector<LimitDemand> out;
  for (LimitDemand& demand : demands) {
    if (!out.empty() && out.back().key == demand.key) {
      out.back().drops += demand.drops;
    } else {
      out.push_back(std::move(demand));
    }
  }
  return out;
}

}  // namespace shingled::milter::ratelimit
