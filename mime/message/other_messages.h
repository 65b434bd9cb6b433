#pragma once

#include <vector>

#include "mime/model/mail.h"

namespace shingled::mime {

/// Which parts of a message another message says, by index:
///
/// - an attached message (message/rfc822, message/global) and all parts in it
/// - an attached header (text/rfc822-headers), which bounces return
/// - the part of a multipart/report that programs read (delivery-status, feedback-report, ...)
///
/// A message that has nothing beside it in any multipart is what is sent: it is the body, for mail
/// programs show it. A text beside it may be empty: people forward without a word.
/// Threads: stateless.
/// Cost: O(parts).
std::vector<bool> parts_of_others(const Mail& mail);

/// The pictures that a text brings with it which mostly quotes: mail programs copy them into the
/// answer. They have a Content-ID and are in one multipart/related with the text, at any depth.
/// `quoting`: by part, the texts that mostly quote.
/// Cost: O(parts), and the depth for each such text.
std::vector<bool> parts_of_quotes(const Mail& mail, const std::vector<bool>& quoting);

}  // namespace shingled::mime
