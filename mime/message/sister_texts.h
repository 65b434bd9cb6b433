#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "mime/message/part_kind.h"
#include "mime/model/mail.h"

namespace shingled::mime {

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
