#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options/mime_options.h"
#include "mime/analyze.h"
#include "mime/model/mail.h"

namespace shingled::milter::reports {

/// What a header says of the envelope's sender.
enum class NullSender : std::uint8_t {
  kNo,
  kYes,
  kUnknown,  ///< there is no Return-Path
};

/// Whether the topmost Return-Path, which the server writes that delivers, is "<>".
/// Threads: stateless.
NullSender null_sender(std::span<const mime::HeaderField> fields);

/// Whether a program answers a message: from the null sender, with "Auto-Submitted: auto-replied",
/// in reply to something (RFC 3834 3.1 and 5). The field alone is written in a moment and says
/// nothing. The null sender has a price: such mail has one recipient, SPF asks for the name of its
/// host, servers limit it apart, and readers see an answer to what they have not written.
/// Threads: stateless.
bool is_automatic_answer(std::span<const mime::HeaderField> fields);

/// A bounce or receipt: its root is a multipart/report, with a part that has the fields that
/// RFC 3464 and RFC 8098 demand, and its sender is not known to be somebody. One part of that type
/// in other mail is not enough: anybody can add it.
/// Threads: stateless.
bool is_system_report(std::span<const mime::HeaderField> fields,
                      std::span<const mime::MailPart> parts, const MimeOptions& options);

/// Why some bytes are no mail, in words that may follow "no message: "; nothing where they are, or
/// are empty. MIME parsing takes anything for a message, an archive or a program for one long text.
///
/// A message begins with a field of a header, "Name: ..." (RFC 5322 section 2.2), before which only
/// a byte order mark and a quoted From_ line are overlooked, and its header has no NUL. All 1512
/// mails of the corpus and the vectors are so, and none of the 19 other files beside them.
/// Errors: none.
/// Threads: stateless.
/// Cost: O(header).
std::optional<std::string> why_no_message(std::string_view bytes);

/// Why a message looks like many others that nobody would refuse: a bounce, a receipt, an answer of
/// the absent, or a text with hardly a word of its own, near which other people's mail is found.
/// None: it may be taught. A message with another text that has words of its own is not common:
/// `own_hashes` leaves out the text that is.
///
/// `fields`: of its header. `hashes`: those of the rule. A text that is found by its exact digest
/// alone is not meant: it finds nothing but itself.
/// Errors: none.
/// Threads: stateless.
std::optional<std::string> common_property(std::span<const mime::HeaderField> fields,
                                           const mime::Analysis& analysis,
                                           std::span<const mime::PartHash> hashes);

/// Without those of parts whose text has hardly a word of its own, such as "see the HTML part"
/// beside the letter itself.
/// Threads: stateless.
std::vector<mime::PartHash> own_hashes(std::span<const mime::PartHash> hashes);

}  // namespace shingled::milter::reports
