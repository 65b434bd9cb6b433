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

/// The facts about a message that are known before its recipients.
struct LimitedEnvelope {
  std::optional<IpAddress> client;  ///< nullopt for mail from a local pipe
  std::string user;                 ///< login of SMTP AUTH; empty = none
  EnvelopeAddress sender;
};

/// The drops that a message or recipient puts into a bucket.
struct LimitDemand {
  std::string type;  ///< "to_ip"
  /// Of the bucket, bounded (storage/buckets/bucket_key.h); in a Redis cluster with the recipient
  /// as its tag.
  std::string key;
  BucketRate rate;
  std::uint32_t drops = 1;
  bool by_recipient = false;  ///< of one recipient; else of the whole message
};

/// The demands of a whole message: those of bucket types without a recipient. Pure.
std::vector<LimitDemand> message_demands(const MailLimitOptions& options,
                                         const LimitedEnvelope& envelope);

/// The demands of one recipient of the message. Pure.
///
/// There is no demand of a type if the message lacks one of its parts (no login, no client address,
/// the empty sender), or if the type is off for this mail. If an override applies to only some of
/// the mail of a bucket, this mail gets a bucket of its own, because a key has one rate.
std::vector<LimitDemand> recipient_demands(const MailLimitOptions& options,
                                           const LimitedEnvelope& envelope,
                                           const EnvelopeAddress& recipient);

/// Merges demands of the same bucket: their drops are added. Sorted by key. Pure.
std::vector<LimitDemand> merged(std::vector<LimitDemand> demands);

}  // namespace shingled::milter::ratelimit
