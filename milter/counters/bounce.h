#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "mime/analysis_parts.h"
#include "mime/model/mail.h"
#include "mime/pieces/piece_list.h"

namespace shingled::milter::counters {

/// How a mail server says that it could not deliver a message.
enum class Bounce : std::uint8_t {
  kNone,
  kReport,  ///< as a multipart/report with a part for programs (RFC 3464)
  kText     ///< as a text of its own, as qmail and Exim do
};

/// Whether a message is a bounce: it has the null sender, and the form of one. `sender`: the
/// normal_sender() of its envelope; empty: not known, which is enough for a multipart/report. The
/// null sender has its price: such mail has one recipient, and servers limit it apart.
/// Threads: stateless.
Bounce bounce_of(std::string_view sender, std::span<const mime::HeaderField> fields,
                 const mime::Analysis::Parts& parts);

/// Removes what all bounces of a mail server have in common: texts, subject, name, header; of a
/// report all links, of a text those to its own domain. What remains says who sent it.
/// `own_domain`: the registrable one of From.
void remove_boilerplate(Bounce bounce, std::string_view own_domain, mime::PieceList& pieces);

}  // namespace shingled::milter::counters
