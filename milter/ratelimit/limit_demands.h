#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/base/leaky_bucket.h"
#include "config/options/ratelimit_options.h"
#include "config/system/socket_address.h"
#include "milter/ratelimit/envelope_address.h"

namespace shingled::milter::ratelimit {

/// What a message says of itself before its recipients.
struct LimitedEnvelope {
  std::optional<IpAddress> client;  ///< none for mail from a local pipe
  std::string user;                 ///< login of SMTP AUTH; empty = none
  EnvelopeAddress sender;
};

/// What a message or recipient puts into a bucket.
struct LimitDemand {
  std::string type;  ///< "to_ip"
  std::string key;   ///< of the bucket, bounded (storage/buckets/bucket_key.h); in a Redis cluster
                     ///< the recipient is its tag
  BucketRate rate;
  std::uint32_t drops = 1;
  bool by_recipient = false;  ///< of one recipient; else of the message as such
};

/// The buckets of a message as such: those of types without a recipient. Pure.
std::vector<LimitDemand> message_demands(const MailLimitOptions& options,
                                         const LimitedEnvelope& envelope);

/// The buckets of one of its recipients. Pure.
///
/// A type whose parts the message does not have (no login, no client address, the empty sender) has
/// no bucket here, nor has one that is off for this mail. Where an override tells apart what the
/// parts of the type do not, the mail it is for has a bucket of its own: a key has one rate.
std::vector<LimitDemand> recipient_demands(const MailLimitOptions& options,
                                           const LimitedEnvelope& envelope,
                                           const EnvelopeAddress& recipient);

/// The same demands, each bucket once. Pure.
std::vector<LimitDemand> merged(std::vector<LimitDemand> demands);

}  // namespace shingled::milter::ratelimit
