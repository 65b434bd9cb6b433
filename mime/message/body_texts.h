#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mime/message/part_kind.h"
#include "mime/model/mail.h"

namespace shingled::mime {

/// The parts that are the body of a message, as a reader opens it: all alternatives of the first
/// text. Not: footers a list appended as parts of their own, text attachments, attached messages.
///
/// Input:   `contents[i]` belongs to `mail.parts[i]`. A text without anything but spaces is passed
///          by. Output: indices in ascending order.
/// Threads: stateless.
/// Cost: O(parts).
std::vector<std::uint32_t> body_texts(const Mail& mail, std::span<const PartContent> contents);

/// Two alternatives that are all the text there is in a message: rspamd holds what one of them is
/// written in for the language of both.
struct SisterTexts {
  std::size_t speaker = 0;   ///< its language counts: HTML, else the longer one
  std::size_t listener = 0;  ///< the other
};

/// Input:   `contents[i]` belongs to `mail.parts[i]`.
/// Output: indices of parts.
/// Threads: stateless.
/// Cost: O(parts).
std::optional<SisterTexts> find_sister_texts(const Mail& mail,
                                             std::span<const PartContent> contents);

}  // namespace shingled::mime
