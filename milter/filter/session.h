#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/system/socket_address.h"
#include "milter/actions/apply.h"
#include "milter/filter/mail_counters.h"
#include "milter/filter/memory_budget.h"
#include "milter/filter/message_buffer.h"
#include "milter/filter/scanner.h"
#include "milter/ratelimit/message_limit.h"

namespace shingled::milter::filter {

/// Whose mail it is, for the failure policy and for passing it unseen.
enum class SenderClass : std::uint8_t { kLocal, kAuthenticated, kOther };

std::string_view to_string(SenderClass sender);  ///< "local" "authenticated" "other"
FailurePolicy policy_for(SenderClass sender, const FailureOptions& options);

/// What a client without an address is.
enum class Unaddressed : std::uint8_t {
  kLocal,    ///< a program on this machine: a pipe or a unix socket
  kUnknown,  ///< the MTA cannot tell
};

/// What all messages share.
struct SessionBounds {
  std::shared_ptr<MemoryBudget> memory;  ///< null = as much as they need
  std::stop_token stop;                  ///< the service ends: nothing takes its time any more
};

/// One SMTP connection and its transactions, as a plain state machine: knows nothing of libmilter.
///
///   connect -> (mail_from -> recipient* -> header* -> end_of_headers -> body* ->
///               end_of_message | abort)*
///
/// A step out of order is harmless: without mail_from the rest does nothing. A message that does
/// not come to its end, or is refused there, gives back what its limits took. One that finds no
/// memory is put off whatever the failure policy is: it was not judged, and comes again.
/// Threads: one thread at a time.
class Session {
 public:
  enum class Next : std::uint8_t {
    kContinue,
    kAccept,  ///< pass this message unseen
  };

  /// `counters`: where messages are counted; null = nowhere. `limiter`: null = no limits.
  Session(const CurrentScanner& current, Clock& clock, Logger& logger,
          MailCounters* counters = nullptr, const ratelimit::CurrentLimiter* limiter = nullptr,
          SessionBounds bounds = {})
      : current_(current),
        clock_(clock),
        logger_(logger),
        counters_(counters),
        limiter_(limiter),
        bounds_(std::move(bounds)) {}

  /// `without`: what a client is that has no address.
  void connect(std::optional<IpAddress> client, HeaderSpacing spacing,
               Unaddressed without = Unaddressed::kLocal);
  /// The login of the next message, empty = none. `mail_from` does that, too; by itself it is for
  /// a message that meets the end of the service.
  void identify(std::string_view login) noexcept;
  /// `path` as MAIL has it; `login` of SMTP AUTH, empty = none.
  Next mail_from(std::string_view path, std::string_view login);
  /// `path` as RCPT has it. What this one is to be told instead of being taken.
  std::optional<actions::Reply> recipient(std::string_view path);
  void header(std::string_view name, std::string_view value);
  void end_of_headers();
  void body(std::string_view bytes);
  /// Judges the message, asks the MTA for what follows and writes the message's one log line.
  /// Returns what the MTA is to be answered; with dry_run always kPass. Whatever fails in it, the
  /// failure policy then decides.
  rules::Action end_of_message(std::string_view queue_id, actions::Mta& mta) noexcept;
  void abort() { forget(); }

  /// A step failed (an exception stopped at the rim): the message is judged by the failure policy.
  void fail(std::string_view what) noexcept;
  /// What the failure policy has for the message under way or the one that comes, by the class of
  /// its sender as far as that is known. Asks nobody: it answers when the service has ended.
  [[nodiscard]] rules::Action failure_action() const noexcept;
  [[nodiscard]] bool in_message() const { return message_.has_value(); }

 private:
  struct Message {
    std::shared_ptr<const Scanner> scanner;  ///< the settings in force when it began
    MessageBuffer buffer;
    actions::ForgedHeaders forged;
    TimePoint start;
    std::string failure;
    std::optional<ratelimit::MessageLimit> limit;
    bool unseen = false;        ///< only its limits count
    bool lacks_memory = false;  ///< it was not looked at for that
  };

  /// The settings that decide when nothing else can.
  struct LastResort {
    FailureOptions on_failure;
    bool dry_run = false;
  };

  /// The message ends without being accepted.
  void forget();
  void begin(std::shared_ptr<const Scanner> scanner, std::optional<ratelimit::MessageLimit> limit,
             bool unseen);
  Next skip();
  rules::Action conclude(std::string_view queue_id, actions::Mta& mta);
  [[nodiscard]] std::optional<ratelimit::MessageLimit> limit_of(std::string_view path,
                                                                std::string_view login) const;
  /// Judges a message that met no limit.
  rules::Verdict judge(Message& message, rules::Facts& facts, actions::Mta& mta);
  [[nodiscard]] bool get_memory(const Message& message, MemoryLease& lease,
                                actions::Mta& mta) const;
  /// Its end: drops are kept or given back, it is counted and forgotten.
  rules::Action finish(const rules::Facts& facts, const rules::Verdict& verdict);
  void log_full(const ratelimit::FullBucket& full, bool put_off);
  void log_skipped();
  [[nodiscard]] std::string client_text() const;
  void warn_of_failures(const rules::Facts& facts);
  void log_message(const Message& message, const rules::Facts& facts, const rules::Verdict& verdict,
                   std::string_view queue_id, const Status& applied);

  const CurrentScanner& current_;
  Clock& clock_;
  Logger& logger_;
  MailCounters* counters_;
  const ratelimit::CurrentLimiter* limiter_;
  const SessionBounds bounds_;
  std::optional<IpAddress> client_;
  Unaddressed without_ = Unaddressed::kUnknown;
  HeaderSpacing spacing_ = HeaderSpacing::kStripped;
  bool local_ = false;  ///< the client is
  SenderClass sender_ = SenderClass::kOther;
  LastResort last_resort_;
  bool begun_ = false;  ///< MAIL came; without a message, it failed
  std::optional<Message> message_;
};

}  // namespace shingled::milter::filter
