#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mime/analyze.h"

namespace shingled::milter::cli {

/// Why a message looks like many others that nobody would refuse: a bounce, a receipt, an answer of
/// the absent (RFC 3834), or a text with hardly a word of its own, near which other people's mail
/// is found. None: it may be taught.
///
/// `hashes`: those of the rule. A text that is found by its exact digest alone is not meant: it
/// finds nothing but itself.
/// Errors: none.
/// Threads: stateless.
std::optional<std::string> common_property(std::string_view message, const mime::Analysis& analysis,
                                           std::span<const mime::PartHash> hashes);

}  // namespace shingled::milter::cli
