#pragma once

#include <cstddef>
#include <string_view>

namespace shingled::mime {

/// The size of the end of a text in which a ruled line may begin a footer: its last 25 lines, with
/// at least as much text above as below. Elsewhere senders rule off headings, and what they want to
/// hide from filters.
///
/// It does not depend on how lines end: a file and a server write that in different ways.
/// Threads: stateless.
/// Cost:    a pass over the text.
std::size_t footer_bytes_of(std::string_view content);

}  // namespace shingled::mime
