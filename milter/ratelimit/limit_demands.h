#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/leaky_bucket.h"
#include "config/options/ratelimit_options.h"
#include "config/system/socket_address.h"
#include "milter/ratelimit/envelope_address.h"

namespace shingled::milter::ratelimit {

/// The facts about a message that are known before its recipients.
struct LimitedEnvelope {
  std::optional<IpAddress> client;  ///< nullopt for mail from a local pipe
  std::string user;                 ///< login of SMTP AUTH, as it was written; empty = none
  EnvelopeAddress sender;
};

/// The drops that a message or recipient puts into a bucket.
struct LimitDemand {
  std::string type;  ///< "to_ip"
  /// Of the bucket, bounded (storage/buckets/bucket_store.h); in a Redis cluster with the recipient
  /// as its tag.
  std::string key;
  BucketRate rate;
  std::uint32_t drops = 1;
  bool by_recipient = false;  ///< of one recipient; else of the whole message or of all recipients
};

/// The demands of a whole message: those of bucket types without a recipient. Pure.
std::vector<LimitDemand> message_demands(const MailLimitOptions& options,
                                         const LimitedEnvelope& envelope);

/// The demands of one recipient of the message: `which` says of which types. Pure.
///
/// Buckets are named by normal forms (envelope_address.h), so that nobody gets another one by
/// another spelling. An override may name either form.
///
/// There is no demand of a type if the message lacks one of its parts (no login, no client address,
/// the empty sender), or if the type is off for this mail. If an override applies to only some of
/// the mail of a bucket, this mail gets a bucket of its own, because a key has one rate.
enum class OfRecipient : std::uint8_t {
  kOwn,     ///< with a bucket for each recipient
  kShared,  ///< that count recipients ("user_rcpts")
};
std::vector<LimitDemand> recipient_demands(const MailLimitOptions& options,
                                           const LimitedEnvelope& envelope,
                                           const EnvelopeAddress& recipient,
                                           OfRecipient which = OfRecipient::kOwn);

/// The name of the bucket that `name` means: a name with the parts of its type as people write them
/// ("user:Alice", "to:Bob+x@Example.org", "ip:2001:db8::1"). nullopt if `name` has no type of the
/// settings, or other parts. Pure.
std::optional<std::string> bucket_key_of(const MailLimitOptions& options, std::string_view name);

/// Merges demands of the same bucket: their drops are added. Sorted by key. Pure.
std::vector<LimitDemand> merged(std::vector<LimitDemand> demands);

}  // namespace shingled::milter::ratelimit
