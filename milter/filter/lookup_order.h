#pragma once

#include <cstddef>
#include <vector>

#include "mime/analyze.h"

namespace shingled::milter::filter {

/// The hashes of a message as they are asked about, at most `count_max`: the visible body as it
/// stands, then other texts, attachments and images, archives, of each the larger first. So padding
/// costs more bytes than it hides, and what is left out tells least. Pure.
std::vector<mime::PartHash> in_order_of_value(std::vector<mime::PartHash> hashes,
                                              std::size_t count_max);

}  // namespace shingled::milter::filter
