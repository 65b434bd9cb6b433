#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/options/redis_options.h"
#include "config/system/socket_address.h"

namespace shingled {

/// A leaky bucket: its size, and how fast it drains. Burst 0 = no limit.
struct BucketRate {
  double burst = 0;  ///< messages at once, 0 or 1 to 1e9
  double leak = 0;   ///< messages per second, up to 1e6; a full bucket drains within 10 years

  [[nodiscard]] bool limits() const { return burst > 0; }
  friend bool operator==(const BucketRate&, const BucketRate&) = default;
};

/// A part of the name of a bucket. A message or recipient that lacks a part has no such bucket.
enum class BucketPart : std::uint8_t {
  kBounce,      ///< nothing; the type is for mail of bounce senders only
  kUser,        ///< the login of SMTP AUTH
  kIp,          ///< the client's address; of IPv6 its network of `ipv6_prefix` bits
  kNetwork,     ///< the client's network of `ipv4_prefix` or `ipv6_prefix` bits
  kFrom,        ///< the envelope sender; bounces with an empty sender lack it
  kFromDomain,  ///< its domain
  kTo,          ///< the recipient
  kToDomain,    ///< the recipient's domain
};

/// An exception: another rate for some mail of a type.
struct BucketOverride {
  enum class For : std::uint8_t { kRecipient, kDomain, kNetwork, kUser, kSender, kSenderDomain };
  For kind = For::kRecipient;
  std::string name;                ///< recipient, user or sender, or a domain, lower case
  std::optional<Network> network;  ///< of the client, for kNetwork
  BucketRate rate;

  friend bool operator==(const BucketOverride&, const BucketOverride&) = default;
};

/// One entry of `rates`.
struct BucketType {
  std::string name;               ///< its parts with '_' between: "to_ip_from"
  std::vector<BucketPart> parts;  ///< as named, each once
  BucketRate rate;
  std::vector<BucketOverride> overrides;  ///< the first one that matches counts
  /// Of a type without a recipient ("user_rcpts"): each recipient is a drop, not the message.
  bool counts_recipients = false;
  /// A type with several rates has one entry for each, numbered from 1.
  std::uint32_t number = 1;

  /// Whether each recipient has its own bucket; otherwise a message has one.
  [[nodiscard]] bool by_recipient() const {
    for (const BucketPart part : parts) {
      if (part == BucketPart::kTo || part == BucketPart::kToDomain) return true;
    }
    return false;
  }
  friend bool operator==(const BucketType&, const BucketType&) = default;
};

/// When the limits are applied.
enum class LimitPoint : std::uint8_t {
  kRecipient,  ///< at RCPT: each recipient is accepted or deferred separately
  kMessage,    ///< at the end of the message: all recipients or none
};

/// Which recipients of a message with more than `max_rcpts` are counted.
enum class ManyRecipients : std::uint8_t {
  kFirst,  ///< the first `max_rcpts`
  kNone,   ///< none, as in rspamd
};

/// Section `ratelimit`: how much mail a recipient, sender, client or user may cause.
struct MailLimitOptions {
  std::vector<BucketType> rates;  ///< none = no limits
  LimitPoint when = LimitPoint::kRecipient;
  /// At most this many recipients of a message count; 1 to 10000. Types without a recipient count
  /// every message.
  std::uint32_t max_rcpts = 5;
  ManyRecipients above_max_rcpts = ManyRecipients::kFirst;
  /// Never limited: local parts, addresses or @domains, lower case.
  std::vector<std::string> whitelisted_rcpts = {"postmaster", "mailer-daemon"};
  std::vector<std::string> whitelisted_rcpts_files;
  std::vector<Network> whitelisted_ip;  ///< clients that are never limited
  std::vector<std::string> whitelisted_ip_files;
  /// A message over the limit is not deferred but gets this symbol, whose score is
  /// 2 tanh(bucket / (2 burst)) of its fullest bucket; empty = it is deferred.
  std::string symbol;
  bool log_only = false;           ///< only log what would be deferred
  std::uint32_t ipv4_prefix = 24;  ///< bits of a `network`, 1 to 32
  std::uint32_t ipv6_prefix = 64;  ///< bits of a `network`, 1 to 128

  /// Buckets in this process, 100 to 10000000; above this the fullest are kept.
  std::uint32_t buckets_max = 100'000;
  /// File that keeps the embedded buckets over a restart; empty = they are lost.
  std::string file = "/var/lib/shingled/ratelimit.db";
  /// Servers of buckets that daemons share; none = the embedded buckets are used.
  RedisOptions redis = without_servers();

  [[nodiscard]] bool enabled() const { return !rates.empty(); }
  [[nodiscard]] bool shared() const { return !redis.servers.empty(); }
  friend bool operator==(const MailLimitOptions&, const MailLimitOptions&) = default;

  static RedisOptions without_servers() {
    RedisOptions out;
    out.servers.clear();
    out.prefix = "ratelimit";
    return out;
  }
};

}  // namespace shingled
