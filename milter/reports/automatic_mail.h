#pragma once

#include <cstdint>
#include <span>

#include "config/options/mime_options.h"
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

}  // namespace shingled::milter::reports
