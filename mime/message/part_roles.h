#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mime/message/part_kind.h"
#include "mime/model/mail.h"

namespace shingled::mime {

/// The parts that a reader sees as the body of a message: all alternatives of the first text. Not
/// footers that a list appended as parts, text attachments or attached messages. An invitation
/// belongs to it, unless it comes after the text of a multipart/mixed.
///
/// Input:   `contents[i]` belongs to `mail.parts[i]`. Texts of white space only are skipped.
/// Output:  indices in ascending order.
/// Threads: stateless.
/// Cost: O(parts).
std::vector<std::uint32_t> body_texts(const Mail& mail, std::span<const PartContent> contents);

/// The two alternatives of a message without other texts: rspamd uses the language of one of them
/// for both.
struct AlternativePair {
  std::size_t chosen = 0;  ///< its language counts: HTML, else the longer one
  std::size_t other = 0;   ///< it takes that language
};

/// Input:   `contents[i]` belongs to `mail.parts[i]`.
/// Output:  indices of parts; nullopt for other messages.
/// Threads: stateless.
/// Cost: O(parts).
std::optional<AlternativePair> find_alternative_pair(const Mail& mail,
                                                     std::span<const PartContent> contents);

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
