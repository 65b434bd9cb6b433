#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/model/work_meter.h"

namespace shingled::mime {

/// The messages that somebody attached to a message: forwarded as attachments, or the evidence of a
/// feedback report (RFC 5965).
struct AttachedMessages {
  std::vector<std::string> messages;  ///< raw RFC 5322, in their order
  std::string feedback_type;  ///< "abuse", "not-spam": Feedback-Type in lower case; "" = no report
  bool incomplete = false;    ///< a limit was reached, so messages may be missing
};

/// Parts of the type message/rfc822 or message/global, and files named *.eml. Messages inside them
/// stay there.
///
/// Input:   any bytes.
/// Output:  at most `most` messages, each at most options.part_bytes_max long; an empty one is left
///          out.
/// Errors:  none; what is no attached message is not found.
/// Threads: stateless.
/// Cost:    that of scan_message, and a copy of each message.
AttachedMessages attached_messages(std::string_view message, const MimeOptions& options,
                                   std::size_t most, WorkMeter& meter);

}  // namespace shingled::mime
