#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "milter/ratelimit/limit_evidence.h"
#include "milter/ratelimit/mail_limiter.h"

namespace shingled::milter::ratelimit {

/// The limits of one message: what it took out of which buckets, until it is known whether it is
/// accepted.
///
///   recipient* -> end_of_message -> keep | give_back        or give_back at any time
///
/// At RCPT (`LimitPoint::kRecipient`) a recipient takes its drops and, the first one that passes,
/// those of the message, all or none. The same recipient again takes nothing more. Of more than
/// `max_rcpts` different recipients the later ones have no drops of their own; or, by
/// `above_max_rcpts`, none has: then the drops of recipients are given back, and who was put off
/// before will come again. Those of the message stay whatever it names. At the end, or with a
/// symbol, all drops are taken in one; a message that has more of them than a bucket holds needs
/// that bucket empty, and fills it.
///
/// A drop stays when it is kept. Whoever neither keeps nor gives back keeps: the destructor does
/// nothing, for buckets may be gone by then.
/// Threads: one at a time.
class MessageLimit {
 public:
  MessageLimit(std::shared_ptr<const MailLimiter> limiter, LimitedEnvelope envelope);

  /// A recipient as RCPT names it; the bucket that is full for it.
  std::optional<FullBucket> recipient(std::string_view path);
  /// The whole message; the bucket that is full for it. Takes once.
  std::optional<FullBucket> end_of_message();
  /// After that: the symbol, where limits have one and a bucket is over.
  [[nodiscard]] const std::optional<LimitMark>& mark() const { return mark_; }

  /// The message was accepted.
  void keep() { taken_.clear(); }
  /// It was not, or never came to its end.
  void give_back();

 private:
  struct Taken {
    std::vector<LimitDemand> demands;
    storage::buckets::BucketAnswer answer;
  };
  static std::pair<Taken, Taken> split(Taken taken);

  [[nodiscard]] bool at_the_end() const;
  /// There are too many recipients for any to have drops of its own.
  [[nodiscard]] bool none_counts() const;
  std::optional<FullBucket> take(std::vector<LimitDemand> demands);
  void look_for_mark(const std::vector<LimitDemand>& demands,
                     const storage::buckets::BucketAnswer& answer);
  void give_back(const Taken& taken);
  void give_back_recipients();

  std::shared_ptr<const MailLimiter> limiter_;
  LimitedEnvelope envelope_;
  std::set<std::string> recipients_;  ///< bounded names, max_rcpts at most
  std::set<std::string> passed_;      ///< of those, whose drops are taken
  std::vector<LimitDemand> pending_;  ///< to be taken at the end
  std::vector<Taken> taken_;
  bool too_many_ = false;       ///< there are more recipients than those
  bool message_taken_ = false;  ///< the drops of the message as such
  bool ended_ = false;
  std::optional<LimitMark> mark_;
};

}  // namespace shingled::milter::ratelimit
