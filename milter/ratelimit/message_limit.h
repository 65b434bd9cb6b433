#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/base/clock.h"
#include "milter/ratelimit/mail_limiter.h"
#include "milter/rules/evidence.h"

namespace shingled::milter::ratelimit {

/// A bucket that is too full for a message.
struct FullBucket {
  std::string type;  ///< "to_ip"
  std::string key;
  double drops = 0;
  double burst = 0;
  Duration wait{};       ///< until there is room for this mail; Duration::max() = never
  bool enforced = true;  ///< the mail is deferred; else this is only logged
};

/// A symbol for a message, because a bucket is above its burst.
struct LimitMark {
  std::string symbol;
  double value = 0;  ///< 2 tanh(drops / (2 burst))
  FullBucket bucket;
};

/// "30s", "2h5m", "never"; rounded up to seconds.
std::string wait_text(Duration wait);
/// "bucket to:a@b holds 5.0 of 5, again in 30s". Only for logs: the key contains addresses of
/// people.
std::string describe(const FullBucket& bucket);

/// A limit that marks messages instead of deferring them.
inline constexpr rules::Source kLimitSource = {.key = "limit", .title = {}, .always_shown = true};

/// The findings for a mark; without a mark they have no evidence. The text for the header does not
/// contain the key of the bucket: it may name a recipient that other recipients must not see. Pure.
rules::Findings limit_findings(const std::optional<LimitMark>& mark);

/// The limits of one message: the drops that it has put into buckets, until it is known whether the
/// message is accepted.
///
///   recipient* -> end_of_message -> keep | give_back        or give_back at any time
///
/// With `LimitPoint::kRecipient` (and without a symbol) drops are taken at RCPT. Each recipient
/// takes its drops; the first that passes also takes those of the message, all or none. A repeated
/// recipient takes nothing. If there are more than `max_rcpts` different recipients that pass, the
/// later ones have no drops of their own (those of types that count recipients remain); recipients
/// that are deferred or never limited do not use up this number, so that nobody can switch off the
/// limit of the last by naming others first. Or, by `above_max_rcpts`, no recipient has: then their
/// drops are given back, and recipients that were deferred before will be retried. The drops of the
/// message stay in any case.
///
/// Otherwise all drops are taken together at the end of the message. If a message has more drops
/// than a bucket can hold, it passes only if the bucket is empty, and fills it; with a symbol the
/// bucket may overflow instead.
///
/// The destructor does not give drops back, because the buckets may not exist any more.
/// Threads: one at a time.
class MessageLimit {
 public:
  /// Recipients of a message that are distinguished; further ones have no drops.
  static constexpr std::size_t kCountedMax = 10'000;
  /// A message that had so many recipients deferred is not asked about any more: all are deferred.
  static constexpr std::size_t kRefusedMax = 1000;

  MessageLimit(std::shared_ptr<const MailLimiter> limiter, LimitedEnvelope envelope);

  /// Counts a recipient. `path`: as in RCPT. Returns the bucket that is too full for it; nullopt if
  /// it passes.
  std::optional<FullBucket> recipient(std::string_view path);
  /// Takes the drops that are taken at the end. Returns the bucket that is too full; nullopt if the
  /// message passes. A second call does nothing.
  std::optional<FullBucket> end_of_message();
  /// After `end_of_message`: the mark, if the limits have a symbol and a bucket is above its burst.
  [[nodiscard]] const std::optional<LimitMark>& mark() const { return mark_; }

  /// The message was accepted: its drops stay in the buckets.
  void keep() { taken_.clear(); }
  /// The message was refused or did not come to its end: gives its drops back.
  void give_back();

 private:
  struct Taken {
    std::vector<LimitDemand> demands;
    storage::buckets::BucketAnswer answer;
  };
  static std::pair<Taken, Taken> split(Taken taken);

  [[nodiscard]] bool at_the_end() const;
  /// Whether no recipient has drops of its own, because there are too many recipients.
  [[nodiscard]] bool none_counts() const;
  std::optional<FullBucket> take(std::vector<LimitDemand> demands);
  void look_for_mark(const std::vector<LimitDemand>& demands,
                     const storage::buckets::BucketAnswer& answer);
  void give_back(const Taken& taken);
  void give_back_recipients();

  std::shared_ptr<const MailLimiter> limiter_;
  LimitedEnvelope envelope_;
  /// Demands of a recipient; `own`: also those with a bucket of its own.
  [[nodiscard]] std::vector<LimitDemand> demands_of(const EnvelopeAddress& address, bool own) const;

  std::set<std::string> recipients_;  ///< bounded names of those with drops, at most kCountedMax
  std::size_t with_own_ = 0;  ///< how many of them have drops of their own: at most max_rcpts
  std::size_t refused_ = 0;
  std::optional<FullBucket> last_full_;
  std::vector<LimitDemand> pending_;  ///< taken at the end
  std::vector<Taken> taken_;
  bool too_many_ = false;       ///< more than max_rcpts recipients have passed
  bool message_taken_ = false;  ///< the drops of the whole message are taken
  bool ended_ = false;
  std::optional<LimitMark> mark_;
};

}  // namespace shingled::milter::ratelimit
