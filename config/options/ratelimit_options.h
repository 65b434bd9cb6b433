#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/options/redis_options.h"
#include "config/system/socket_address.h"

namespace shingled {

/// A leaky bucket: what it holds, and how fast it drains. Burst 0 = never full, no limit.
struct BucketRate {
  double burst = 0;  ///< messages at once, 0 or 1 to 1e9
  double leak = 0;   ///< messages a second, up to 1e6; a full one drains within 10 years

  [[nodiscard]] bool limits() const { return burst > 0; }
  friend bool operator==(const BucketRate&, const BucketRate&) = default;
};

/// What a type of buckets tells apart. A message or recipient that lacks a part has no such bucket.
enum class BucketPart : std::uint8_t {
  kBounce,      ///< nothing; the type is for mail of bounce senders only
  kUser,        ///< the login of SMTP AUTH
  kIp,          ///< the client's address
  kNetwork,     ///< the client's network of `ipv4_prefix` or `ipv6_prefix` bits
  kFrom,        ///< the envelope sender; bounces with an empty one lack it
  kFromDomain,  ///< its domain
  kTo,          ///< the recipient
  kToDomain,    ///< the recipient's domain
};

/// Another rate for some mail of a type.
struct BucketOverride {
  enum class For : std::uint8_t { kRecipient, kDomain, kNetwork };
  For kind = For::kRecipient;
  std::string name;                ///< recipient or its domain, lower case
  std::optional<Network> network;  ///< of the client, for kNetwork
  BucketRate rate;

  friend bool operator==(const BucketOverride&, const BucketOverride&) = default;
};

/// One entry of `rates`.
struct BucketType {
  std::string name;               ///< its parts with '_' between: "to_ip_from"
  std::vector<BucketPart> parts;  ///< as named, each once
  BucketRate rate;
  std::vector<BucketOverride> overrides;  ///< the first that fits counts

  /// Whether each recipient has buckets of its own; else a message has one.
  [[nodiscard]] bool by_recipient() const {
    for (const BucketPart part : parts) {
      if (part == BucketPart::kTo || part == BucketPart::kToDomain) return true;
    }
    return false;
  }
  friend bool operator==(const BucketType&, const BucketType&) = default;
};

/// When a message meets its limits.
enum class LimitPoint : std::uint8_t {
  kRecipient,  ///< at RCPT: each recipient by itself is taken or put off
  kMessage,    ///< at its end: all recipients or none
};

/// What of a message to more than `max_rcpts` recipients meets limits by recipient.
enum class ManyRecipients : std::uint8_t {
  kFirst,  ///< the first `max_rcpts` of them
  kNone,   ///< none, as rspamd has it
};

/// Section `ratelimit`: how much mail a recipient, sender, client or user may cause.
struct MailLimitOptions {
  std::vector<BucketType> rates;  ///< none = no limits
  LimitPoint when = LimitPoint::kRecipient;
  /// So many recipients of a message have buckets of their own at most; 1 to 10000. Types without
  /// a recipient count every message.
  std::uint32_t max_rcpts = 5;
  ManyRecipients above_max_rcpts = ManyRecipients::kFirst;
  /// Never limited: local parts, addresses or @domains, lower case.
  std::vector<std::string> whitelisted_rcpts = {"postmaster", "mailer-daemon"};
  std::vector<std::string> whitelisted_rcpts_files;
  std::vector<Network> whitelisted_ip;  ///< clients that are never limited
  std::vector<std::string> whitelisted_ip_files;
  /// Instead of being put off a message gets this symbol, whose score is the value
  /// 2 tanh(bucket / (2 burst)) of its fullest bucket; empty = it is put off.
  std::string symbol;
  bool log_only = false;           ///< say what would be put off, and put nothing off
  std::uint32_t ipv4_prefix = 24;  ///< bits of a `network`, 1 to 32
  std::uint32_t ipv6_prefix = 64;  ///< bits of a `network`, 1 to 128

  /// Buckets in this process, the fullest kept when there would be more; 100 to 10000000.
  std::uint32_t buckets_max = 100'000;
  /// Where the embedded buckets outlive a restart; empty = they do not.
  std::string file = "/var/lib/shingled/ratelimit.db";
  /// Buckets that daemons share; without servers they are the embedded ones.
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
