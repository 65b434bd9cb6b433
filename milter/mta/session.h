#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "config/base/byte_reader.h"
#include "config/base/clock.h"
#include "config/base/logger.h"
#include "config/system/socket_address.h"
#include "milter/actions/apply.h"
#include "milter/counters/message_names.h"
#include "milter/judge/message_count.h"
#include "milter/judge/snapshot.h"
#include "milter/mta/mail_counters.h"
#include "milter/mta/memory_budget.h"
#include "milter/mta/message_buffer.h"
#include "milter/ratelimit/message_limit.h"

namespace shingled::milter::mta {

/// The class of a sender, for the failure policy and for passing mail without a check.
enum class SenderClass : std::uint8_t { kLocal, kAuthenticated, kOther };

std::string_view to_string(SenderClass sender);  ///< "local" "authenticated" "other"
FailurePolicy policy_for(SenderClass sender, const FailureOptions& options);

/// The kind of a client without an address.
enum class Unaddressed : std::uint8_t {
  kLocal,    ///< a program on this machine: a pipe or a unix socket
  kUnknown,  ///< the MTA does not know
};

/// Shared by all messages.
struct SessionBounds {
  std::shared_ptr<MemoryBudget> memory;  ///< null = no limit
  std::stop_token stop;  ///< requested when the service ends: nothing may take long any more
  /// Does the work that is given to it once the answer to the MTA is sent; null = at once. It may
  /// do it in any thread, and must do it.
  std::function<void(std::function<void()>)> later = {};
};

/// One SMTP connection and its transactions, as a state machine without libmilter.
///
///   connect -> hello -> (mail_from -> recipient* -> header* -> end_of_headers -> body* ->
///                        end_of_message | abort)*
///
/// A step out of order is harmless: without mail_from the other steps do nothing. A message that
/// does not come to its end, or is refused there, gives back the drops that its limits took. A
/// message for which there is not enough memory is deferred, whatever the failure policy is: it was
/// not judged, and the client will send it again.
///
/// A message that is looked at is counted after its verdict. What is not looked at is not counted:
/// mail that passes without a check, mail that is deferred by a limit or as there is no memory,
/// mail that the failure policy judges without a look. Recipients that the MTA refused are counted
/// when their message ends, also if it has no other recipients.
/// Threads: one thread at a time.
class Session {
 public:
  enum class Next : std::uint8_t {
    kContinue,
    kAccept,  ///< pass this message without a check
  };

  /// `counters`: null = no statistics.
  Session(const judge::CurrentSnapshot& current, Clock& clock, Logger& logger,
          MailCounters* counters = nullptr, SessionBounds bounds = {})
      : current_(current),
        clock_(clock),
        logger_(logger),
        counters_(counters),
        bounds_(std::move(bounds)) {}

  /// `without`: the kind of the client if it has no address. `name`: its reverse name that the MTA
  /// has verified; empty = none.
  void connect(std::optional<IpAddress> client, HeaderSpacing spacing,
               Unaddressed without = Unaddressed::kLocal, std::string_view name = {});
  /// `name`: as in HELO or EHLO.
  void hello(std::string_view name) { helo_ = name; }
  /// Sets the login of the next message; empty = none. `mail_from` calls it. It is also called
  /// alone, because `mail_from` is not called after the end of the service.
  void identify(std::string_view login) noexcept;
  /// `path`: as in MAIL. `login`: of SMTP AUTH; empty = none.
  Next mail_from(std::string_view path, std::string_view login);
  /// `path`: as in RCPT. Returns the reply if the recipient is deferred; nullopt if it is accepted.
  std::optional<actions::Reply> recipient(std::string_view path);
  /// A recipient on a connection whose MTA waits for no answer: no limit applies to it.
  void unlimited_recipient(std::string_view path);
  /// The MTA has refused a recipient itself, before it asked us. No limit knows of it.
  void refused_recipient();
  void header(std::string_view name, std::string_view value);
  void end_of_headers();
  void body(std::string_view bytes);
  /// Judges the message, sends the requests to the MTA and writes the one log line of the message.
  /// The history gets it, and its memory is given back, once the answer is sent.
  /// Returns the answer to the MTA; with dry_run always kPass. If anything fails, the failure
  /// policy decides.
  rules::Action end_of_message(std::string_view queue_id, actions::Mta& mta) noexcept;
  void abort() { forget(); }

  /// Reports that a step threw an exception: the failure policy will judge the message.
  void fail(std::string_view what) noexcept;
  /// The action of the failure policy for the current or next message, by the class of its sender
  /// as far as it is known. Uses only members of the session, so it works after the end of the
  /// service.
  [[nodiscard]] rules::Action failure_action() const noexcept;
  [[nodiscard]] bool in_message() const { return message_.has_value(); }

 private:
  struct Message {
    std::shared_ptr<const judge::Snapshot> snapshot;  ///< in force when the message began
    MessageBuffer buffer;
    actions::ForgedHeaders forged;
    TimePoint start;
    std::string failure = {};
    std::optional<ratelimit::MessageLimit> limit = {};
    std::optional<judge::MessageCount> count = {};  ///< empty = it is not counted
    counters::Envelope envelope = {};  ///< for the names; with the first kNameValuesMax recipients
    std::string sender = {};           ///< path of MAIL
    std::string message_id = {};       ///< the first that is not blank
    std::uint64_t recipients = 0;      ///< RCPT commands that were accepted
    std::string subject = {};          ///< decoded; for the history
    Bytes kept = {};                   ///< what a report of it needs; for the history
    bool bounce = false;               ///< its sender is empty
    bool unchecked = false;            ///< passed without a check; only its limits apply
    bool lacks_memory = false;         ///< it was not checked for this reason

    [[nodiscard]] const judge::Scanner& scanner() const { return *snapshot->scanner; }
    /// For the names; one more than they have shows that some are missing.
    void keep_recipient(std::string_view path) {
      const bool fits = path.size() <= counters::kNameBytesMax;
      if (fits && envelope.recipients.size() <= counters::kNameValuesMax)
        envelope.recipients.emplace_back(path);
    }
  };

  /// A message whose answer is decided: what the history needs.
  struct Ended {
    std::optional<Message> message = {};
    rules::Facts facts = {};
    rules::Verdict verdict = {};
    std::string queue_id = {};
    bool deferred = false;  ///< by a limit
  };

  /// A copy of the settings that decide after a failure.
  struct LastResort {
    FailureOptions on_failure;
    bool dry_run = false;
  };

  /// Ends the message; it was not accepted.
  void forget();
  /// Gives back its drops and counts the recipients that were refused.
  void close_message();
  void begin(std::shared_ptr<const judge::Snapshot> snapshot,
             std::optional<ratelimit::MessageLimit> limit, bool unchecked);
  Next skip();
  rules::Action conclude(std::string_view queue_id, actions::Mta& mta);
  [[nodiscard]] std::optional<judge::MessageCount> count_of(const judge::Snapshot& snapshot,
                                                            std::string_view path,
                                                            std::string_view login) const;
  std::optional<actions::Reply> limit_recipient(std::string_view path);
  [[nodiscard]] std::optional<ratelimit::MessageLimit> limit_of(const judge::Snapshot& snapshot,
                                                                std::string_view path,
                                                                std::string_view login) const;
  [[nodiscard]] features::Arrival arrival_of(const Message& message) const;
  /// Without recipients.
  [[nodiscard]] counters::Envelope envelope_of(std::string_view path,
                                               std::string_view login) const {
    return {.sender = std::string(path),
            .recipients = {},
            .client = client_,
            .helo = helo_,
            .client_name = client_name_,
            .user = std::string(login),
            .country = {}};
  }
  /// Judges a message that is not deferred by a limit.
  rules::Verdict judge(Message& message, rules::Facts& facts, actions::Mta& mta);
  [[nodiscard]] bool get_memory(const Message& message, MemoryLease& lease,
                                actions::Mta& mta) const;
  /// Keeps what the history wants to have of a message that was looked at; nothing without memory.
  void keep_for_history(const judge::MessageView& view, Message& message) const noexcept;
  static void note_history(const Ended& ended) noexcept;
  /// Ends the message: keeps its drops or gives them back, and counts it. Then `ended` has it.
  rules::Action finish(Ended& ended);
  /// Gives an ended message to the history and forgets it, once the answer is sent.
  void finish_later(const std::shared_ptr<const Ended>& ended) const noexcept;
  void log_full(const ratelimit::FullBucket& full, bool deferred);
  void log_skipped();
  [[nodiscard]] std::string client_text() const;
  void warn_of_failures(const rules::Facts& facts);
  void log_message(const Message& message, const rules::Facts& facts, const rules::Verdict& verdict,
                   std::string_view queue_id, const Status& applied);

  const judge::CurrentSnapshot& current_;
  Clock& clock_;
  Logger& logger_;
  MailCounters* counters_;
  const SessionBounds bounds_;
  std::optional<IpAddress> client_;
  Unaddressed without_ = Unaddressed::kUnknown;
  std::string client_name_;
  std::string helo_;
  HeaderSpacing spacing_ = HeaderSpacing::kStripped;
  bool local_ = false;  ///< whether the client is local
  SenderClass sender_ = SenderClass::kOther;
  LastResort last_resort_;
  bool begun_ = false;  ///< MAIL was received; if there is no `message_`, it failed
  std::optional<Message> message_;
};

}  // namespace shingled::milter::mta
