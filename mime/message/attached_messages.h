#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// The messages that somebody attached to a message: forwarded as attachments, or the evidence of a
/// feedback report (RFC 5965); and what else the message says of them.
struct AttachedMessages {
  std::vector<std::string> messages;  ///< raw RFC 5322, in their order
  bool incomplete = false;            ///< a limit was reached, so messages may be missing
  bool is_feedback = false;           ///< it has a part message/feedback-report
  /// "abuse", "not-spam": Feedback-Type in lower case. Empty if there is none that can be read, or
  /// if there are several that differ.
  std::string feedback_type;
  /// What a machine reports that is no feedback: "delivery-status", "disposition-notification",
  /// "tlsrpt", or "report" where it does not say; else empty.
  std::string machine_report;
  bool is_dmarc_report = false;   ///< it has a file with the name of a DMARC aggregate report
  bool has_outlook_file = false;  ///< it has a file in a format of Outlook: .msg, winmail.dat
};

/// Parts of the type message/rfc822 or message/global, and files named *.eml. Messages inside them
/// stay there, and what is inside says nothing about the message.
///
/// Input:   any bytes.
/// Output:  at most `most` messages, each at most options.part_bytes_max long; an empty one is left
///          out.
/// Errors:  none; what is no attached message is not found.
/// Threads: stateless.
/// Cost:    that of scan_message, and a copy of each message.
/// Source:  RFC 5965 2 and 3.1, RFC 3462, RFC 7489 7.2.1.1 (names of aggregate reports).
AttachedMessages attached_messages(std::string_view message, const MimeOptions& options,
                                   std::size_t most, WorkMeter& meter);

inline constexpr std::size_t kFeedbackTypeMax = 64;  ///< longer ones are not a type

}  // namespace shingled::mime
