#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/base/result.h"
#include "milter/actions/header_edit.h"
#include "milter/rules/verdict.h"

namespace shingled::milter::actions {

/// The reply to the SMTP client: RFC 5321 code, RFC 3463 code, a neutral text.
struct Reply {
  std::string code;
  std::string enhanced_code;
  std::string text;  ///< one line of printable ASCII
  friend bool operator==(const Reply&, const Reply&) = default;
};

/// kReject: 550 5.7.1 with `reject_text` and " (id QUEUE-ID)", so that who complains can be found
/// in the history; not with an empty `queue_id`. kTempfail: 451 4.7.1 with a fixed text. Other
/// actions: nullopt. If a message is rejected because it could not be checked (`failed`), the text
/// says this instead of `reject_text`. Pure.
std::optional<Reply> reply_for(const rules::Verdict& verdict, const std::string& reject_text,
                               std::string_view queue_id = {});

/// 451 4.3.1, for a message that was not checked because there was not enough memory. Pure.
Reply reply_for_memory();

/// 451 4.7.1, for a recipient or message that is deferred. The text does not tell the reason. Pure.
Reply reply_for_limit();

/// The requests that a filter may send to the mail server at the end of a message. The
/// implementation of the daemon uses libmilter; tests have their own.
/// Threads: the callback's thread.
class Mta {
 public:
  virtual ~Mta() = default;
  virtual Status edit_header(const HeaderEdit& edit) = 0;
  virtual Status quarantine(const std::string& reason) = 0;
  virtual Status set_reply(const Reply& reply) = 0;
  /// Asks the MTA for more time: its timeout starts again.
  virtual void progress() = 0;
};

/// Everything that is to be done with a message. It is decided, but not done yet.
struct Decision {
  rules::Verdict verdict;
  std::vector<HeaderEdit> edits;  ///< for a message that is passed on; removals first
  std::optional<Reply> reply;     ///< for a message that is refused
};

/// Derives the edits of headers and the reply from a verdict. Pure.
Decision decide(rules::Verdict verdict, const rules::Facts& facts, const ForgedHeaders& forged,
                const MilterOptions& options, std::string_view queue_id = {});

/// Sends the requests of a decision to the MTA. It is not called in a dry run.
/// Errors: the first request that the MTA declined. The other requests are sent all the same.
Status apply(const Decision& decision, Mta& mta);

}  // namespace shingled::milter::actions
